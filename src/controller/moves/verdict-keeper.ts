import type { KubeClient } from '../kube/client.ts';
import { succeedsUnlessStatus, undefinedOnStatus } from '../kube/kube-error.ts';
import { type Log, reason } from '../log.ts';
import { ChangeThrottle } from '../machines/change-throttle.ts';
import { WorkQueue } from '../machines/work-queue.ts';
import { type KeptVerdict, type NodeRecord, nodeKey, type WatchedNode } from '../model/node-record.ts';
import { FIELD_MANAGER, type NodeBootstrap, objectPath, recordOf } from '../store/node-bootstrap.ts';
import { firstPatch } from '../store/status-patch.ts';
import { genuineVerdict, isSameVerdict, verdictOf } from './verdict-record.ts';

/** What follows a verdict at once (the Node that is Ready) is kept with it. */
const SETTLE_MS = 5_000;
/** A machine that changes its mind all the time costs no more writes than its condition does. */
const PATIENCE = { free: 6, firstMs: 60_000, capMs: 30 * 60_000 };
/** After a rotation of the key, what the one before has signed is signed anew. */
const RENEW_MS = 60 * 60_000;

interface VerdictKeeperParts {
  readonly client: KubeClient;
  /** Keys of Machines' tokens that count; the first one signs. */
  readonly keys: () => readonly Uint8Array[];
  readonly log: Log;
}

/** Keeps the verdicts of nodes where `clusterctl move` takes them along, and puts them back where it has left the status behind. */
export class VerdictKeeper {
  readonly #parts: VerdictKeeperParts;
  readonly #queue: WorkQueue;
  /** How often the verdict of each node was written. */
  readonly #changes = new Map<string, ChangeThrottle>();
  /** Nodes of which something is to be written. */
  readonly #open = new Set<string>();
  /** The key that signed when all nodes were looked at last. */
  #signedBy: Uint8Array | undefined;
  #timer: NodeJS.Timeout | undefined;
  #leads = false;

  constructor(parts: VerdictKeeperParts) {
    this.#parts = parts;
    this.#queue = new WorkQueue((key) => this.#keep(key), {
      parallel: 4,
      failed: (node, error, retryInMs) =>
        parts.log.warn('a verdict could not be kept', { node, reason: reason(error), retryInMs }),
    });
  }

  lead(leads: boolean): void {
    this.#leads = leads;
    clearInterval(this.#timer);
    if (!leads) return;
    for (const key of this.#open) this.#queue.add(key);
    this.#timer = setInterval(() => this.#followKey(), RENEW_MS);
    this.#timer.unref();
  }

  nodeChanged(record: NodeRecord): void {
    const key = nodeKey(record);
    if (!this.#changes.has(key)) this.#changes.set(key, new ChangeThrottle(PATIENCE));
    const [signing] = this.#parts.keys();
    this.#signedBy ??= signing;
    const isLost = record.writes === 0 && record.spec.verdict !== undefined;
    if (!isLost && signing && isKept(record, signing)) {
      this.#open.delete(key);
      return;
    }
    this.#open.add(key);
    if (!this.#leads) return;
    if (isLost) this.#queue.add(key, true);
    else this.#queue.later(key, SETTLE_MS);
  }

  /** What it told before it was moved is still to be put back. */
  isToRestore(record: WatchedNode): boolean {
    return record.writes === 0 && genuineVerdict(record, this.#parts.keys()) !== undefined;
  }

  nodeGone(key: string): void {
    this.#changes.delete(key);
    this.#open.delete(key);
    this.#queue.forget(key);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#queue.stop();
  }

  #followKey(): void {
    const [signing] = this.#parts.keys();
    if (signing && this.#signedBy && Buffer.compare(signing, this.#signedBy) === 0) return;
    this.#signedBy = signing;
    for (const key of this.#changes.keys()) this.#queue.add(key);
  }

  /** Looks at the node as it is now: others may have written meanwhile. */
  async #keep(key: string): Promise<void> {
    const changes = this.#changes.get(key);
    if (!changes || !this.#leads) return;
    const [namespace = '', name = ''] = key.split('/');
    const { client, keys } = this.#parts;
    const [signing] = keys();
    const object = await undefinedOnStatus(
      client.request<NodeBootstrap>('GET', objectPath(namespace, name)),
      404,
    );
    if (!object || !signing) return;
    const record = recordOf(object);
    if (!object.status) return this.#restore(record);
    if (isKept(record, signing)) return;
    const now = performance.now();
    const waitMs = changes.waitMs(now);
    if (waitMs > 0) return this.#queue.later(key, waitMs);
    await this.#write(record, verdictOf(record, signing));
    changes.changed(now);
  }

  async #write({ namespace, name, spec }: NodeRecord, verdict: KeptVerdict | undefined): Promise<void> {
    const operation = verdict
      ? { op: 'add', path: '/spec/verdict', value: verdict }
      : { op: 'remove', path: '/spec/verdict' };
    const written = this.#parts.client.request('PATCH', objectPath(namespace, name), {
      body: [{ op: 'test', path: '/spec/keyDigest', value: spec.keyDigest }, operation],
      contentType: 'application/json-patch+json',
      query: { fieldManager: FIELD_MANAGER },
    });
    // It is another machine's by now, or gone; the watch tells.
    await succeedsUnlessStatus(written, 404, 409, 422);
  }

  /** Only what this controller's keys have signed is believed, and never that a Machine has a Node. */
  async #restore(record: NodeRecord): Promise<void> {
    const { namespace, name, spec } = record;
    if (spec.verdict === undefined) return;
    const { client, keys, log } = this.#parts;
    const verdict = genuineVerdict(record, keys());
    if (!verdict) {
      log.warn('the kept verdict of a node was not signed by this controller, and is not believed', {
        node: nodeKey(record),
        remedy: 'slipway-controller keys copy, from the cluster that it was moved from',
      });
      return;
    }
    const { epoch, seq, summary, storedAt } = verdict;
    const [test, add] = firstPatch({ ...record, epoch, seq }, { epoch, events: [], summary });
    const status = { ...(add as { value: object }).value, storedAt: new Date(storedAt).toISOString() };
    const patched = client.request('PATCH', `${objectPath(namespace, name)}/status`, {
      body: [test, { ...add, value: status }],
      contentType: 'application/json-patch+json',
      query: { fieldManager: FIELD_MANAGER },
    });
    if (await succeedsUnlessStatus(patched, 404, 409, 422))
      log.info('put back what a node told before it was moved', {
        node: nodeKey(record),
        phase: summary.phase,
      });
  }
}

/** Is what lies in its spec its verdict, and signed by this key? */
function isKept(record: NodeRecord, signing: Uint8Array): boolean {
  const { verdict } = record.spec;
  const isSigned = verdict === undefined || genuineVerdict(record, [signing]) !== undefined;
  return isSigned && isSameVerdict(verdict, verdictOf(record, signing));
}
