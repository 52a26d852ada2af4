import type { KubeClient } from '../kube/client.ts';
import { isStatus } from '../kube/kube-error.ts';
import type { KubeObject } from '../kube/objects.ts';
import { Resources } from '../kube/resources.ts';
import { type Log, reason } from '../log.ts';
import type { Alarms } from '../machines/alarms.ts';
import type { MachineDirectory } from '../machines/directory.ts';
import { ENDORSEMENT_KEY, type Infrastructure, type Machine } from '../machines/machine.ts';
import { WorkQueue } from '../machines/work-queue.ts';

interface InfrastructureWatchParts {
  readonly client: KubeClient;
  readonly directory: Pick<MachineDirectory, 'byUid' | 'infrastructure'>;
  readonly alarms: Pick<Alarms, 'disagrees'>;
  readonly log: Log;
  /** Called with a Machine of which more is known now. */
  readonly known: (machine: Machine) => void;
}

/** A Machine changes with each step that its machine tells of. */
const SETTLE_MS = 10_000;
/** Before there is a Node, somebody may be waiting for it; afterwards, boards are swapped rarely. */
const YOUNG_MS = 30_000;
const GROWN_MS = 60 * 60_000;
/** Until a right that was missing is tried again. */
const FORBIDDEN_MS = 5 * 60_000;
/** Metadata alone: what else is in these objects is none of our business. */
const METADATA = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, application/json;q=0.1';

/**
 * Reads which TPMs Machines' infrastructure objects name. Of kinds that only the installer knows there is no watch, so it
 * asks by `get`, where it has the right to. What was read once counts until the object says something else.
 */
export class InfrastructureWatch {
  readonly #parts: InfrastructureWatchParts;
  readonly #resources: Resources;
  readonly #queue: WorkQueue;
  /** Kinds in namespaces that may not be read, until when; and those of which the log has said so. */
  readonly #forbidden = new Map<string, number>();
  readonly #told = new Set<string>();
  /** By UID, the key that its Machine disagrees with. */
  readonly #disagreed = new Map<string, string>();

  constructor(parts: InfrastructureWatchParts) {
    this.#parts = parts;
    this.#resources = new Resources(parts.client);
    this.#queue = new WorkQueue((uid) => this.#look(uid), {
      parallel: 4,
      failed: (uid, error, retryInMs) => {
        // The watches tell of an API server in trouble; this tells of it only where a machine waits.
        const level = parts.directory.infrastructure.isAwaited(uid) ? 'warn' : 'debug';
        parts.log[level]('an infrastructure object could not be read', {
          ...{ machine: parts.directory.byUid(uid)?.name, reason: reason(error), retryInMs },
        });
      },
    });
  }

  machineChanged({ uid, infrastructure }: Machine): void {
    const { directory } = this.#parts;
    if (!infrastructure) return;
    if (directory.infrastructure.isKnown(uid)) this.#queue.later(uid, SETTLE_MS);
    else {
      directory.infrastructure.await(uid);
      this.#queue.add(uid);
    }
  }

  machineGone(uid: string): void {
    this.#queue.forget(uid);
    this.#disagreed.delete(uid);
    this.#parts.directory.infrastructure.forget(uid);
  }

  async stop(): Promise<void> {
    await this.#queue.stop();
  }

  async #look(uid: string): Promise<void> {
    const { directory, known } = this.#parts;
    const machine = directory.byUid(uid);
    if (!machine?.infrastructure) return;
    const answer = await this.#read(machine, machine.infrastructure);
    // It may be gone by now.
    const now = directory.byUid(uid);
    if (!now) return;
    const isNews = !directory.infrastructure.isKnown(uid);
    if (answer.is === 'read' || isNews)
      directory.infrastructure.put(uid, answer.is === 'read' ? answer.key : undefined);
    this.#compare(now, machine.infrastructure, directory.infrastructure.of(uid));
    const young = now.nodeName === undefined ? YOUNG_MS : GROWN_MS;
    this.#queue.later(uid, answer.is === 'forbidden' ? FORBIDDEN_MS : young);
    if (isNews) known(now);
  }

  async #read({ namespace }: Machine, { group, kind, name }: Infrastructure): Promise<Answer> {
    const place = `${namespace} ${group}/${kind}`;
    if ((this.#forbidden.get(place) ?? 0) > performance.now()) return { is: 'forbidden' };
    try {
      const path = await this.#resources.find(group, kind);
      if (!path) return { is: 'absent' };
      const { metadata } = await this.#parts.client.request<KubeObject>('GET', `${path(namespace)}/${name}`, {
        accept: METADATA,
      });
      this.#forbidden.delete(place);
      return { is: 'read', key: metadata.annotations?.[ENDORSEMENT_KEY] };
    } catch (error) {
      if (isStatus(error, 404)) return { is: 'absent' };
      if (!isStatus(error, 403)) throw error;
      this.#forbid(place, namespace, `${group}/${kind}`);
      return { is: 'forbidden' };
    }
  }

  #forbid(place: string, namespace: string, kind: string): void {
    this.#forbidden.set(place, performance.now() + FORBIDDEN_MS);
    if (this.#told.has(kind)) return;
    this.#told.add(kind);
    this.#parts.log.info('reads no endorsement keys of infrastructure objects: it may not get them', {
      ...{ kind, namespace },
      remedy:
        'nothing where they name none; else the ClusterRole of manifests/samples/infrastructure-reader.yaml',
    });
  }

  /** A Machine's own annotation counts; that its infrastructure object names another TPM is told once. */
  #compare(machine: Machine, { kind, name }: Infrastructure, key: string | undefined): void {
    const { uid, endorsementKey: own } = machine;
    if (own === undefined || key === undefined || own === key) {
      this.#disagreed.delete(uid);
      return;
    }
    if (this.#disagreed.get(uid) === key) return;
    this.#disagreed.set(uid, key);
    this.#parts.alarms.disagrees(
      machine,
      `The Machine names the TPM ${own} itself, and its ${kind} ${name} names ${key}: that one is refused. Let them agree, or remove one annotation.`,
    );
  }
}

type Answer =
  | { readonly is: 'read'; readonly key: string | undefined }
  | { readonly is: 'absent' | 'forbidden' };
