import type { KubeClient } from '../kube/client.ts';
import { Informer } from '../kube/informer.ts';
import { isStatus } from '../kube/kube-error.ts';
import type { KubeObject } from '../kube/objects.ts';
import { clustersPath, type Machine, type MachineVersion, PAUSED } from '../machines/machine.ts';

/** A move takes minutes. */
const LONGEST_MOVE_MS = 60 * 60_000;

interface ClusterObject extends KubeObject {
  spec?: { paused?: boolean };
}

/**
 * Follows which Clusters are paused. `clusterctl move` pauses a Cluster before it copies its objects and deletes them: what was stored
 * in between would be lost.
 */
export class PausedClusters {
  /** Since when Clusters (`namespace/name`) are paused, as far as this process has seen, by a clock that nobody sets. */
  readonly #paused = new Map<string, number>();
  readonly #informer: Informer<ClusterObject>;
  readonly #listed = Promise.withResolvers<void>();

  /** @param resumed called with a Cluster (`namespace/name`) that is not paused any more */
  constructor(
    client: KubeClient,
    version: MachineVersion,
    resumed: (cluster: string) => void,
    trouble: (error: Error, retryInMs: number) => void,
  ) {
    this.#informer = new Informer<ClusterObject>(client, clustersPath(version), {
      changed: ({ metadata, spec }) => {
        const key = `${metadata.namespace}/${metadata.name}`;
        if (spec?.paused === true || metadata.annotations?.[PAUSED] !== undefined) {
          if (!this.#paused.has(key)) this.#paused.set(key, performance.now());
        } else if (this.#paused.delete(key)) resumed(key);
      },
      gone: (key) => this.#paused.delete(key),
      listed: () => this.#listed.resolve(),
      trouble: (error, retryInMs) => {
        // Rights of an earlier release: better to serve than to wait for somebody to apply new ones.
        if (isStatus(error, 403) || isStatus(error, 404)) this.#listed.resolve();
        trouble(error, retryInMs);
      },
    });
  }

  /** Nothing is written of it then, as Cluster API has it. */
  has({ namespace, cluster, isPaused }: Pick<Machine, 'namespace' | 'cluster' | 'isPaused'>): boolean {
    return isPaused || this.#paused.has(`${namespace}/${cluster}`);
  }

  /** It may be under way to another management cluster. Maintenance may take days, and certificates of machines end in them. */
  mayBeMoving({ namespace, cluster }: Pick<Machine, 'namespace' | 'cluster'>): boolean {
    const since = this.#paused.get(`${namespace}/${cluster}`);
    return since !== undefined && performance.now() - since < LONGEST_MOVE_MS;
  }

  /** Resolves when it knows all Clusters. */
  async start(): Promise<void> {
    this.#informer.start();
    await this.#listed.promise;
  }

  async stop(): Promise<void> {
    await this.#informer.stop();
  }
}
