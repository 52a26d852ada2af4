import type { Clock } from '../../host/host.ts';

/** Slipway keeps the last part of the time for saying why (AKS keeps 2 of 15 minutes). */
const RESERVE_SHARE = 0.05;
const RESERVE_MAX_MS = 30_000;
/** The longest timer of Node.js. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * The time that a sequence may take, counted while an agent runs, over restarts and reboots. Work ends at the
 * soft deadline; the time from there to the hard one is for cleaning up and for the verdict.
 */
export class Deadline {
  readonly #clock: Clock;
  readonly #softAt: number;

  constructor(clock: Clock, hardMs: number, usedMs: number) {
    this.#clock = clock;
    const reserve = Math.min(hardMs * RESERVE_SHARE, RESERVE_MAX_MS);
    this.#softAt = clock.monotonic() + hardMs - reserve - usedMs;
  }

  /** Milliseconds until the soft deadline, never negative. */
  remainingMs(): number {
    return Math.max(0, this.#softAt - this.#clock.monotonic());
  }

  get passed(): boolean {
    return this.remainingMs() === 0;
  }

  /** A signal that aborts at the soft deadline or with `other`, as long as `ended` has not. */
  signal(other: AbortSignal, ended: AbortSignal): AbortSignal {
    const controller = new AbortController();
    const abort = () => controller.abort();
    void this.#clock.sleep(Math.min(this.remainingMs(), LONGEST_MS), ended).then(() => {
      if (ended.aborted) other.removeEventListener('abort', abort);
      else abort();
    });
    other.addEventListener('abort', abort, { once: true });
    if (other.aborted) abort();
    return controller.signal;
  }
}
