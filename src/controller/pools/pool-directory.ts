import { type NodeRecord, nodeKey } from '../model/node-record.ts';
import { type Pool, poolKey } from './pool.ts';

/**
 * How many machines of a pool may enrol within an hour, beside the first one of each Node that the pool names: as many as there
 * are, once more for those that replace them, and some for small pools. Who stole a token gets no more than that, whatever the
 * machines tell of their Nodes.
 */
const HOUR_MS = 60 * 60_000;
const EXTRA = 10;
/** Until then, the node of a machine that was let in is in the picture. */
const MADE_MS = 10_000;

/** A machine that came by a token of its pool. */
interface PoolNode {
  readonly pool: string;
  /** When it enrolled, in milliseconds since 1970. */
  readonly at: number;
  /** Its Node, as it has told. */
  readonly nodeName: string | undefined;
}

interface Claimant {
  readonly key: string;
  readonly at: number;
}

/** MachinePools, found by UID or name, and the nodes that came by their tokens and are no Machine's. */
export class PoolDirectory {
  readonly #byKey = new Map<string, Pool>();
  readonly #byUid = new Map<string, Pool>();
  readonly #nodes = new Map<string, PoolNode>();
  readonly #ofPool = new Map<string, Set<string>>();
  /** When machines were let in whose nodes may not be known yet, by UID, by the monotonic clock. */
  readonly #expected = new Map<string, number[]>();

  put(pool: Pool): void {
    const before = this.#byKey.get(poolKey(pool));
    if (before) this.#byUid.delete(before.uid);
    this.#byKey.set(poolKey(pool), pool);
    this.#byUid.set(pool.uid, pool);
  }

  remove(key: string): void {
    const pool = this.#byKey.get(key);
    if (!pool) return;
    this.#byKey.delete(key);
    this.#byUid.delete(pool.uid);
    this.#expected.delete(pool.uid);
  }

  keys(): Iterable<string> {
    return this.#byKey.keys();
  }

  byUid(uid: string): Pool | undefined {
    return this.#byUid.get(uid);
  }

  /** @param key as `poolKey` makes it */
  byKey(key: string): Pool | undefined {
    return this.#byKey.get(key);
  }

  nodeChanged(record: NodeRecord): void {
    const key = nodeKey(record);
    const { enrolment, machine } = record.spec;
    const owner = enrolment.selector?.owner;
    const isNew = !this.#nodes.has(key);
    this.nodeGone(key);
    // Where the pool's infrastructure makes Machines, their conditions and their deletion say all.
    if (machine !== undefined || owner?.startsWith('MachinePool/') !== true) return;
    const pool = `${record.namespace}/${owner}`;
    const at = Date.parse(enrolment.at);
    this.#nodes.set(key, { pool, at, nodeName: record.summary.node?.name });
    this.#ofPool.set(pool, (this.#ofPool.get(pool) ?? new Set()).add(key));
    const known = this.#byKey.get(pool);
    if (isNew && known) this.giveBack(known);
  }

  nodeGone(key: string): void {
    const node = this.#nodes.get(key);
    if (!node) return;
    this.#nodes.delete(key);
    const others = this.#ofPool.get(node.pool);
    others?.delete(key);
    if (others?.size === 0) this.#ofPool.delete(node.pool);
  }

  /**
   * Nodes whose Node the pool names, so that they live: of each Node the first and the last machine that claimed to be it. Strangers
   * may claim it, too, and the machine may have been installed anew.
   */
  living(): Set<string> {
    const ends = new Map<string, [Claimant, Claimant]>();
    for (const [key, { pool, at, nodeName = '' }] of this.#nodes) {
      if (!this.#byKey.get(pool)?.nodes.has(nodeName)) continue;
      const name = `${pool} ${nodeName}`;
      const [first, last] = ends.get(name) ?? [
        { key, at },
        { key, at },
      ];
      ends.set(name, [at < first.at ? { key, at } : first, at > last.at ? { key, at } : last]);
    }
    return new Set([...ends.values()].flat().map(({ key }) => key));
  }

  room(pool: Pool, now = Date.now()): number {
    const since = now - HOUR_MS;
    let came = 0;
    /** When the first of those that claim to be this Node enrolled, by its name. */
    const first = new Map<string, number>();
    for (const key of this.#ofPool.get(poolKey(pool)) ?? []) {
      const { at, nodeName = '' } = this.#nodes.get(key) ?? {};
      if (at === undefined) continue;
      if (at > since) came += 1;
      if (pool.nodes.has(nodeName)) first.set(nodeName, Math.min(at, first.get(nodeName) ?? at));
    }
    // A Node is one machine: whoever claims to be it as well counts, and so does who replaces it.
    const known = [...first.values()].filter((at) => at > since).length;
    return 2 * pool.replicas + EXTRA - (came - known) - this.#expectedOf(pool).length;
  }

  expect(pool: Pool): void {
    this.#expected.set(pool.uid, [...this.#expectedOf(pool), performance.now()]);
  }

  giveBack(pool: Pool): void {
    this.#expectedOf(pool).shift();
  }

  #expectedOf({ uid }: Pool): number[] {
    const since = performance.now() - MADE_MS;
    const left = (this.#expected.get(uid) ?? []).filter((at) => at > since);
    this.#expected.set(uid, left);
    return left;
  }
}
