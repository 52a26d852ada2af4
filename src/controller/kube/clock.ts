import { setTimeout as sleep } from 'node:timers/promises';

/** Time as it passes; a test has its own. */
export interface Clock {
  /** Milliseconds that nobody sets, from any beginning. */
  now(): number;
  /** Also returns, early, when `signal` aborts. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  pause: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
};
