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

  /**
   * A signal that aborts at the soft deadline or with `other`. Call `cancel` when nobody needs it any more.
   */
  signal(other: AbortSignal): { signal: AbortSignal; cancel: () => void } {
    const controller = new AbortController();
    const abort = () => controller.abort();
    const cancelled = new AbortController();
    void this.#clock.sleep(Math.min(this.remainingMs(), LONGEST_MS), cancelled.signal).then(() => {
      if (!cancelled.signal.aborted) abort();
    });
    other.addEventListener('abort', abort, { once: true });
    if (other.aborted) abort();
    return {
      signal: controller.signal,
      cancel: () => {
        // Without a reason Node.js makes an error with its stack, which nobody reads.
        cancelled.abort('cancelled');
        other.removeEventListener('abort', abort);
      },
    };
  }
}
