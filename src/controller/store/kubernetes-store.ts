import type { KubeClient } from '../kube/client.ts';
import { isStatus, KubeError } from '../kube/kube-error.ts';
import type { ListOf } from '../kube/objects.ts';
import { readTable } from '../kube/read-table.ts';
import type { CertificateState, NodeRecord, NodeSpec, StoredEvent } from '../model/node-record.ts';
import { newSummary } from '../model/summary.ts';
import { isConflict, refusal, toStoreBusy } from './api-errors.ts';
import {
  API_VERSION,
  collectionPath,
  FIELD_MANAGER,
  type NodeBootstrap,
  objectPath,
  recordOf,
} from './node-bootstrap.ts';
import { type NodeLine, poolOf, shownPhase } from './node-line.ts';
import { firstPatch, nextPatch, type PatchOperation, trimPatch } from './status-patch.ts';
import type { Addition, Owner, Store } from './store.ts';

/** An object stays well below etcd's 1.5 MiB: beyond either limit, old events make room. */
const MAX_EVENTS = 400;
const MAX_EVENT_LOG_BYTES = 600 * 1024;

/**
 * Stores nodes as NodeBootstrap objects. It appends events by a JSON patch that tests the preceding sequence
 * number. If two replicas write at once, one has to read again, and nothing is stored twice or out of order.
 */
export class KubernetesStore implements Store {
  readonly thrifty = true;
  readonly #client: KubeClient;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  async find(namespace: string, name: string): Promise<NodeRecord | undefined> {
    const found = await this.#get(namespace, name);
    return found && { ...recordOf(found.value), bytes: found.bytes };
  }

  async create(
    namespace: string,
    name: string,
    spec: NodeSpec,
    owner?: Owner,
  ): Promise<NodeRecord | undefined> {
    const body = {
      apiVersion: API_VERSION,
      kind: 'NodeBootstrap',
      metadata: {
        name,
        namespace,
        ...(owner ? { ownerReferences: [{ ...owner, kind: 'Machine' }] } : {}),
      },
      spec,
    };
    try {
      const query = { fieldManager: FIELD_MANAGER };
      return recordOf(await this.#client.request('POST', collectionPath(namespace), { body, query }));
    } catch (error) {
      if (isStatus(error, 409)) return undefined;
      throw toStoreBusy(error);
    }
  }

  async append(record: NodeRecord, addition: Addition): Promise<NodeRecord | undefined> {
    const { namespace, name } = record;
    try {
      const patch = record.writes === 0 ? firstPatch(record, addition) : nextPatch(record, addition);
      const { value: object, bytes } = await this.#client.requestSized<NodeBootstrap>(
        'PATCH',
        `${objectPath(namespace, name)}/status`,
        {
          body: patch,
          contentType: 'application/json-patch+json',
          query: { fieldManager: FIELD_MANAGER },
        },
      );
      const { eventLog = [] } = object.status ?? {};
      // The answer holds all events, so checking its size costs nothing.
      const isFull = eventLog.length > MAX_EVENTS || bytes > MAX_EVENT_LOG_BYTES;
      const trimmed = isFull ? await this.#trim(object) : 0;
      return { ...recordOf(object), bytes: bytes - trimmed };
    } catch (error) {
      if (isConflict(error)) return undefined;
      throw refusal(error) ?? toStoreBusy(error);
    }
  }

  async certify(record: NodeRecord, certificate: CertificateState): Promise<NodeRecord | undefined> {
    const { namespace, name, spec, version } = record;
    const before: PatchOperation = spec.certificate
      ? { op: 'test', path: '/spec/certificate', value: spec.certificate }
      : { op: 'test', path: '/metadata/resourceVersion', value: version };
    const body: PatchOperation[] = [
      { op: 'test', path: '/spec/keyDigest', value: spec.keyDigest },
      before,
      { op: 'add', path: '/spec/certificate', value: certificate },
    ];
    try {
      const { value, bytes } = await this.#client.requestSized<NodeBootstrap>(
        'PATCH',
        objectPath(namespace, name),
        {
          body,
          contentType: 'application/json-patch+json',
          query: { fieldManager: FIELD_MANAGER },
        },
      );
      return { ...recordOf(value), bytes };
    } catch (error) {
      if (isConflict(error)) return undefined;
      throw toStoreBusy(error);
    }
  }

  async remove({ namespace, name, version }: NodeRecord): Promise<boolean> {
    try {
      // What was written meanwhile has not been looked at.
      const body = { preconditions: { resourceVersion: version } };
      await this.#client.request('DELETE', objectPath(namespace, name), { body });
      return true;
    } catch (error) {
      if (isStatus(error, 404)) return true;
      if (isStatus(error, 409)) return false;
      throw toStoreBusy(error);
    }
  }

  async list(namespace?: string): Promise<NodeRecord[]> {
    const records: NodeRecord[] = [];
    for (let next: string | undefined = ''; next !== undefined; ) {
      const page: ListOf<NodeBootstrap> = await this.#client.request('GET', collectionPath(namespace), {
        query: { limit: 100, continue: next || undefined },
      });
      records.push(...page.items.map(recordOf));
      next = page.metadata.continue || undefined;
    }
    return records;
  }

  async overview(namespace?: string): Promise<NodeLine[]> {
    try {
      const rows = await readTable(this.#client, collectionPath(namespace));
      return rows.map(({ cells, ...names }) => ({
        ...names,
        tiedBy: cells['Tied-By'] || poolOf(cells['Token-Owner']),
        phase: shownPhase(cells.Phase || newSummary().phase, cells.Admission),
        step: cells.Step ?? '',
        reason: cells.Reason ?? '',
        node: cells.Node ?? '',
        // For a node without reports: its age.
        heard: cells.Heard || (cells.Age ?? ''),
      }));
    } catch (error) {
      throw toStoreBusy(error);
    }
  }

  async events(namespace: string, name: string): Promise<StoredEvent[]> {
    return (await this.#get(namespace, name))?.value.status?.eventLog ?? [];
  }

  async close(): Promise<void> {
    this.#client.close();
  }

  async #get(namespace: string, name: string) {
    try {
      return await this.#client.requestSized<NodeBootstrap>('GET', objectPath(namespace, name));
    } catch (error) {
      if (isStatus(error, 404)) return undefined;
      throw toStoreBusy(error);
    }
  }

  /**
   * Optional: if another writer comes in between, the next append tries again.
   *
   * @returns how many bytes it removed
   */
  async #trim({ metadata, status }: NodeBootstrap): Promise<number> {
    const { patch, removedBytes } = trimPatch(status);
    try {
      await this.#client.request('PATCH', `${objectPath(metadata.namespace ?? '', metadata.name)}/status`, {
        body: patch,
        contentType: 'application/json-patch+json',
        query: { fieldManager: FIELD_MANAGER },
      });
      return removedBytes;
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      return 0;
    }
  }
}
