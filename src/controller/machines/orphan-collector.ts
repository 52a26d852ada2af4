import type { KubeClient } from '../kube/client.ts';
import { succeedsUnlessStatus } from '../kube/kube-error.ts';
import { type Log, reason } from '../log.ts';
import { type NodeRecord, nodeKey } from '../model/node-record.ts';
import { objectPath } from '../store/node-bootstrap.ts';

const LOOK_MS = 15_000;

interface CollectorParts {
  readonly client: KubeClient;
  /** Nodes that are no Machine's. */
  readonly untied: () => Iterable<NodeRecord>;
  /** Those of them whose Node is known to live, by `namespace/name`. */
  readonly living: () => ReadonlySet<string>;
  /** How long a node may be that. */
  readonly lifetimeMs: number;
  readonly log: Log;
}

/**
 * Removes nodes that nobody turned out to be: strangers with a pool's token, and machines whose Machine never
 * came. A Machine's node goes with its Machine, and that of a MachinePool without Machines when its Node does.
 */
export class OrphanCollector {
  readonly #parts: CollectorParts;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();

  constructor(parts: CollectorParts) {
    this.#parts = parts;
  }

  lead(leads: boolean): void {
    clearInterval(this.#timer);
    if (!leads) return;
    this.#timer = setInterval(() => {
      this.#working = this.#working.then(() => this.#collect());
    }, LOOK_MS);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#working;
  }

  async #collect(): Promise<void> {
    const { untied, lifetimeMs, log } = this.#parts;
    const before = Date.now() - lifetimeMs;
    const living = this.#parts.living();
    const over = [...untied()].filter(
      (node) => Date.parse(node.spec.enrolment.at) < before && !living.has(nodeKey(node)),
    );
    for (const node of over) {
      try {
        await this.#remove(node);
        log.info('removed a node without a Machine', {
          node: nodeKey(node),
          enrolled: node.spec.enrolment.at,
        });
      } catch (error) {
        log.warn('a node without a Machine could not be removed', {
          node: nodeKey(node),
          reason: reason(error),
        });
        return;
      }
    }
  }

  /** What was written since is looked at next time: it may be tied now. */
  async #remove({ namespace, name, version }: NodeRecord): Promise<void> {
    const body = { preconditions: { resourceVersion: version } };
    await succeedsUnlessStatus(
      this.#parts.client.request('DELETE', objectPath(namespace, name), { body }),
      404,
      409,
    );
  }
}
