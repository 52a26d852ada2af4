import { Rates } from '../../kit/rates.ts';
import type { KubeClient } from '../kube/client.ts';
import { Informer } from '../kube/informer.ts';
import { isStatus } from '../kube/kube-error.ts';
import { type Log, reason } from '../log.ts';
import type { EventRecorder } from '../machines/event-recorder.ts';
import type { Machine, MachineVersion } from '../machines/machine.ts';
import type { NodeRecord } from '../model/node-record.ts';
import { type Pool, type PoolObject, poolKey, poolsPath, readPool } from './pool.ts';
import { PoolDirectory } from './pool-directory.ts';
import { PoolReconciler } from './pool-reconciler.ts';

/** An Event is there for an hour, so what goes on is told again then. */
const TOLD = { perSecond: 1 / 3600, burst: 1 };

interface PoolsParts {
  readonly client: KubeClient;
  readonly version: MachineVersion;
  readonly recorder: EventRecorder;
  readonly machine: (namespace: string, name: string) => Machine | undefined;
  readonly log: Log;
  /** What to do where a watch ends by a fault. */
  readonly trouble: (error: Error, retryInMs: number) => void;
}

/** Follows MachinePools: which machines come by their tokens, and what these tell. */
export class Pools {
  readonly directory = new PoolDirectory();
  readonly #parts: PoolsParts;
  readonly #reconciler: PoolReconciler;
  readonly #informer: Informer<PoolObject>;
  readonly #listed = Promise.withResolvers<void>();
  readonly #full = new Rates(TOLD);

  constructor(parts: PoolsParts) {
    const { client, version, trouble, log } = parts;
    this.#parts = parts;
    this.#reconciler = new PoolReconciler({ ...parts, directory: this.directory });
    // Not the watch of groups that ask for capacity: that one follows only objects with a label.
    this.#informer = new Informer<PoolObject>(client, poolsPath(version), {
      changed: (object) => {
        const pool = readPool(object, version);
        this.directory.put(pool);
        this.#reconciler.poolChanged(poolKey(pool));
      },
      gone: (key) => {
        this.directory.remove(keyOfName(key));
        this.#reconciler.poolGone(keyOfName(key));
      },
      listed: () => this.#listed.resolve(),
      trouble: (error, retryInMs) => {
        // A Cluster API without pools, or rights of an older release: then there are none.
        const isNone = isStatus(error, 404) || isStatus(error, 403);
        if (!isNone) return trouble(error, retryInMs);
        log.debug('MachinePools cannot be followed', { reason: reason(error), retryInMs });
        this.#listed.resolve();
      },
    });
  }

  /** Resolves when it knows all pools. */
  start(): Promise<void> {
    this.#informer.start();
    return this.#listed.promise;
  }

  async stop(): Promise<void> {
    await this.#informer.stop();
    await this.#reconciler.stop();
  }

  lead(leads: boolean): void {
    this.#reconciler.lead(leads);
  }

  nodeChanged(record: NodeRecord): void {
    this.directory.nodeChanged(record);
    this.#reconciler.nodeChanged(record);
  }

  nodeGone(key: string): void {
    this.directory.nodeGone(key);
    this.#reconciler.nodeGone(key);
  }

  machineChanged(machine: Machine): void {
    this.#reconciler.machineChanged(machine);
  }

  /** More machines come for it than it can have. */
  full(pool: Pool): void {
    const { log, recorder } = this.#parts;
    if (this.#full.take(poolKey(pool)) > 0) return;
    const { namespace, name } = pool;
    const message =
      `More machines enrol for this MachinePool than twice its ${pool.replicas} replicas and ten within an hour. ` +
      'The next ones have to wait. If they are not yours, somebody has its token: set the annotation ' +
      'slipway.dev/tokens-from to the present time. The next renewal of its bootstrap data brings one that counts.';
    log.warn(message, { pool: `${namespace}/${name}` });
    recorder.record(pool, { type: 'Warning', reason: 'TooManyMachines', message }).catch((error: unknown) => {
      log.warn('an Event could not be written', { pool: `${namespace}/${name}`, reason: reason(error) });
    });
  }
}

/** @param key `namespace/name` */
function keyOfName(key: string): string {
  const [namespace = '', name = ''] = key.split('/');
  return poolKey({ namespace, name });
}
