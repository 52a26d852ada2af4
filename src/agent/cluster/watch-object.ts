import { BACKOFF, backoffMs } from '../../kit/backoff.ts';
import { type Host, HostError } from '../host/host.ts';
import { type ApiAccess, bearerHeader } from './kubeconfig.ts';
import type { KubeletIdentity } from './kubelet-identity.ts';

/** A Node has up to 1.5 MiB, and a watch sends it whole each time. */
const MAX_BYTES = 64 * 1024 * 1024;

/** An object, and as whom the API server is asked for it. */
interface WatchedObject {
  readonly access: ApiAccess;
  /** The path below which the API server has it and its like. */
  readonly collection: string;
  readonly name: string;
}

/** The Node of a kubelet that knows its name. */
export function ownNode(kubelet: KubeletIdentity | undefined): WatchedObject | undefined {
  if (kubelet?.nodeName === undefined) return undefined;
  return { access: kubelet, collection: '/api/v1/nodes', name: kubelet.nodeName };
}

/**
 * Has the API server tell when an object changes, over one request that stays open (a watch; kubelets may watch their own Node,
 * and whoever may ask for a certificate the requests for one). What it sends is not read, only that it sends: whoever is told looks
 * for himself. Resolves when the watch is over, whoever ended it; never throws for what the network or the API server do.
 */
async function watchObject(
  host: Host,
  { access, collection, name }: WatchedObject,
  { limitMs, signal, changed }: { limitMs: number; signal: AbortSignal; changed: () => void },
): Promise<void> {
  const { server, token, ...credentials } = access;
  const client = host.network.client(credentials);
  const url = new URL(collection, server);
  url.searchParams.set('watch', 'true');
  url.searchParams.set('fieldSelector', `metadata.name=${name}`);
  url.searchParams.set('timeoutSeconds', String(Math.ceil(limitMs / 1000)));
  try {
    await client.send({
      ...{ method: 'GET', url: url.href, headers: { accept: 'application/json', ...bearerHeader(token) } },
      ...{ timeoutMs: limitMs, maxBytes: MAX_BYTES, signal },
      sink: async () => changed(),
    });
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
  } finally {
    client.close();
  }
}

/** Several changes that come together are looked at once. */
const TOGETHER_MS = 50;

/**
 * Pauses between two looks at an object of the API server, which ends them when the object changes, or comes; where it allows
 * no watch they end by themselves, ever less often.
 */
export class ObjectChangeWaiter {
  readonly #host: Host;
  readonly #limitMs: number;
  readonly #signal: AbortSignal;
  readonly #over = new AbortController();
  #changed = new AbortController();
  #isAsked = false;
  #isWatched = false;
  #pauses = 0;

  /** @param limitMs Nobody listens any longer. */
  constructor(host: Host, limitMs: number, signal: AbortSignal) {
    this.#host = host;
    this.#limitMs = limitMs;
    this.#signal = signal;
  }

  /** Begins to watch with the first look that knows for which; the same one is watched from then on. */
  set(watched: WatchedObject | undefined): void {
    if (this.#isAsked || watched === undefined) return;
    this.#isAsked = this.#isWatched = true;
    const watch = {
      limitMs: this.#limitMs,
      signal: AbortSignal.any([this.#signal, this.#over.signal]),
      changed: () => this.#changed.abort(),
    };
    void watchObject(this.#host, watched, watch).then(() => {
      this.#isWatched = false;
      this.#changed.abort();
    });
  }

  /** Until the object changes, or for `mostMs`. */
  async pause(mostMs: number): Promise<void> {
    const { clock } = this.#host;
    this.#pauses += 1;
    const pauseMs = backoffMs(this.#pauses, this.#isWatched ? BACKOFF.watched : BACKOFF.ready, () =>
      this.#host.random(),
    );
    const woken = AbortSignal.any([this.#signal, this.#changed.signal]);
    await clock.sleep(Math.min(pauseMs, mostMs), woken).catch(() => undefined);
    if (this.#changed.signal.aborted) await clock.sleep(TOGETHER_MS, this.#signal).catch(() => undefined);
    this.#changed = new AbortController();
  }

  close(): void {
    this.#over.abort();
  }
}
