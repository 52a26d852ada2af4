import { setTimeout as sleep } from 'node:timers/promises';

/** The passing of time; tests have their own. */
export interface Clock {
  /** Milliseconds of a clock that nobody sets, from any start. */
  now(): number;
  /** Returns early if `signal` aborts. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  pause: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
};
