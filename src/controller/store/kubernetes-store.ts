import type { KubeClient } from '../kube/client.ts';
import { isStatus, KubeError } from '../kube/kube-error.ts';
import type { ListOf } from '../kube/objects.ts';
import { readTable } from '../kube/table.ts';
import { messageOf } from '../model/message.ts';
import type { CertificateState, NodeRecord, NodeSpec, StoredEvent } from '../model/node-record.ts';
import { newSummary, type Summary } from '../model/summary.ts';
import { filled } from './filled.ts';
import {
  API_VERSION,
  collectionPath,
  FIELD_MANAGER,
  type NodeBootstrap,
  type NodeBootstrapStatus,
  objectPath,
  recordOf,
} from './node-bootstrap.ts';
import { type NodeLine, positionOf, shownPhase } from './node-line.ts';
import { type Addition, type Owner, type Store, StoreBusy, StoreRefuses, stored } from './store.ts';
import { bytesOf } from './write-budget.ts';

/** An object stays well below etcd's 1.5 MiB: beyond either limit, old events make room. */
const MAX_EVENTS = 400;
const MAX_EVENT_LOG_BYTES = 600 * 1024;
/** What remains then: the beginning and the latest events, half of what fits. */
const KEEP_FIRST = { events: 40, bytes: 60 * 1024 };
const KEEP_LAST = { events: 160, bytes: 240 * 1024 };

/** Nobody gives rights within less. */
const FORBIDDEN_MS = 60_000;

/** What to do where the ServiceAccount may not write. */
export function rightsRemedy(namespace: string): string {
  return `to serve the Machines there: kubectl apply --namespace ${namespace} --filename manifests/namespace/rights.yaml`;
}

type PatchOperation =
  | { op: 'test' | 'add' | 'replace'; path: string; value: unknown }
  | { op: 'remove'; path: string };

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
    const object = await this.#get(namespace, name);
    return object && { ...recordOf(object), bytes: bytesOf(object) };
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
      throw busy(error);
    }
  }

  async append(record: NodeRecord, addition: Addition): Promise<NodeRecord | undefined> {
    const { namespace, name } = record;
    try {
      const patch = record.writes === 0 ? this.#first(record, addition) : this.#next(record, addition);
      const object = await this.#client.request<NodeBootstrap>(
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
      const bytes = bytesOf(object);
      const isFull = eventLog.length > MAX_EVENTS || bytes > MAX_EVENT_LOG_BYTES;
      const trimmed = isFull ? await this.#trim(object) : 0;
      return { ...recordOf(object), bytes: bytes - trimmed };
    } catch (error) {
      if (isOvertaken(error)) return undefined;
      throw refusal(error) ?? busy(error);
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
      const object = await this.#client.request<NodeBootstrap>('PATCH', objectPath(namespace, name), {
        body,
        contentType: 'application/json-patch+json',
        query: { fieldManager: FIELD_MANAGER },
      });
      return { ...recordOf(object), bytes: bytesOf(object) };
    } catch (error) {
      if (isOvertaken(error)) return undefined;
      throw busy(error);
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
      throw busy(error);
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
        tiedBy: cells['Tied-By'] ?? '',
        phase: shownPhase(cells.Phase || newSummary().phase, cells.Admission),
        step: cells.Step ?? '',
        reason: cells.Reason ?? '',
        node: cells.Node ?? '',
        // For a node without reports: its age.
        heard: cells.Heard || (cells.Age ?? ''),
      }));
    } catch (error) {
      throw busy(error);
    }
  }

  async events(namespace: string, name: string): Promise<StoredEvent[]> {
    return (await this.#get(namespace, name))?.status?.eventLog ?? [];
  }

  async close(): Promise<void> {
    this.#client.close();
  }

  async #get(namespace: string, name: string): Promise<NodeBootstrap | undefined> {
    try {
      return await this.#client.request<NodeBootstrap>('GET', objectPath(namespace, name));
    } catch (error) {
      if (isStatus(error, 404)) return undefined;
      throw busy(error);
    }
  }

  #first(record: NodeRecord, addition: Addition): PatchOperation[] {
    const status: NodeBootstrapStatus = {
      ...this.#head(record, addition),
      ...addition.summary,
      eventLog: addition.events.map(stored),
    };
    return [
      { op: 'test', path: '/metadata/resourceVersion', value: record.version },
      { op: 'add', path: '/status', value: filled(status) },
    ];
  }

  #next(record: NodeRecord, addition: Addition): PatchOperation[] {
    const before: Partial<NodeBootstrapStatus> = { ...record.summary, ...positionPart(record.summary) };
    const after: Partial<NodeBootstrapStatus> = { ...this.#head(record, addition), ...addition.summary };
    const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
    return [
      { op: 'test', path: '/status/epoch', value: record.epoch },
      { op: 'test', path: '/status/seq', value: record.seq },
      ...Object.entries(after)
        .filter(([key, value]) => before[key as keyof typeof before] !== value)
        .map(([key, value]): PatchOperation => ({ op: 'add', path: `/status/${key}`, value: filled(value) })),
      ...gone.map((key): PatchOperation => ({ op: 'remove', path: `/status/${key}` })),
      ...addition.events.map(
        (event): PatchOperation => ({ op: 'add', path: '/status/eventLog/-', value: filled(stored(event)) }),
      ),
    ];
  }

  #head(record: NodeRecord, { epoch, events, summary }: Addition) {
    return {
      epoch,
      seq: events.at(-1)?.seq ?? record.seq,
      storedAt: new Date().toISOString(),
      writes: record.writes + 1,
      message: messageOf(summary),
      ...positionPart(summary),
    };
  }

  /**
   * Optional: if another writer comes in between, the next append tries again.
   *
   * @returns how many bytes it removed
   */
  async #trim({ metadata, status }: NodeBootstrap): Promise<number> {
    const log = status?.eventLog ?? [];
    const first = firstOf(log, KEEP_FIRST);
    const last = firstOf(log.slice(first.length).reverse(), KEEP_LAST).reverse();
    const kept = [...first, ...last];
    const trimmed = (status?.eventsTrimmed ?? 0) + log.length - kept.length;
    const body: PatchOperation[] = [
      { op: 'test', path: '/status/seq', value: status?.seq },
      { op: 'replace', path: '/status/eventLog', value: kept },
      { op: 'add', path: '/status/eventsTrimmed', value: trimmed },
    ];
    try {
      await this.#client.request('PATCH', `${objectPath(metadata.namespace ?? '', metadata.name)}/status`, {
        body,
        contentType: 'application/json-patch+json',
        query: { fieldManager: FIELD_MANAGER },
      });
      return bytesOf(log) - bytesOf(kept);
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      return 0;
    }
  }
}

/** As many as there is room for; one at least. */
function firstOf(log: readonly StoredEvent[], room: { events: number; bytes: number }): StoredEvent[] {
  let bytes = 0;
  const end = log.findIndex((event) => {
    bytes += bytesOf(event);
    return bytes > room.bytes;
  });
  return log.slice(0, Math.max(1, Math.min(room.events, end < 0 ? log.length : end)));
}

/** Absent if empty, not a space. */
function positionPart(summary: Summary): { position?: string } {
  const position = positionOf(summary);
  return position === '' ? {} : { position };
}

/**
 * Another writer came first, or the object is gone. 422 means that a test in the JSON patch failed, or that
 * the object breaks its schema; the latter is our fault, and another attempt would not help.
 */
function isOvertaken(error: unknown): boolean {
  if (isStatus(error, 409) || isStatus(error, 404)) return true;
  return isStatus(error, 422) && !/ is invalid: /.test(error.message);
}

/** What the API server, or etcd behind it, refuses whenever it is asked. */
function refusal(error: unknown): StoreRefuses | undefined {
  if (!(error instanceof KubeError)) return undefined;
  const { status, message } = error;
  // etcd's word and that of its client: the API server passes both on as faults of its own.
  if (status === 413 || /request is too large|message larger than max/.test(message))
    return new StoreRefuses('size', message, { cause: error });
  if (status !== 400 && status !== 422) return undefined;
  return new StoreRefuses('content', message, { cause: error });
}

/** Turns what the API server cannot do now into StoreBusy; other errors stay as they are. */
function busy(error: unknown): unknown {
  const namespace = isStatus(error, 403) ? /namespace "([^"]+)"/.exec(error.message)?.[1] : undefined;
  if (namespace !== undefined && error instanceof KubeError)
    return new StoreBusy(`${error.message}; ${rightsRemedy(namespace)}`, FORBIDDEN_MS, { cause: error });
  if (!(error instanceof KubeError) || !error.passing) return error;
  return new StoreBusy(error.message, error.retryAfterMs, { cause: error });
}
