import type { Clock } from '../host/host.ts';

/** The last part of the time is kept for saying why (AKS keeps 2 of 15 minutes). */
const RESERVE_SHARE = 0.05;
const RESERVE_MAX_MS = 30_000;
/** A timer of Node.js takes no more. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * The time that a sequence may take, counted in active time over restarts and reboots. Work ends at the soft deadline;
 * what lies between it and the hard one is for cleaning up and writing the verdict.
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

  /** A signal that aborts when the soft deadline passes or `other` aborts; call `cancel` when it is not needed any more. */
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
        cancelled.abort();
        other.removeEventListener('abort', abort);
      },
    };
  }
}
