import { BACKOFF, backoffMs } from '../../kit/backoff.ts';
import type { Host } from '../host/host.ts';
import { type WatchedObject, watchObject } from './watch-object.ts';

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
