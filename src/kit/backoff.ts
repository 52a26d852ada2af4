/** Exponential back-off with full jitter; the one place that knows how long to wait before trying again. */
export interface Backoff {
  /** Upper bound of the first wait. */
  baseMs: number;
  /** Upper bound of every wait. kOps had reached 34 minutes without one (kops ff2f69c031). */
  capMs: number;
}

export const DEFAULT_BACKOFF: Backoff = { baseMs: 2000, capMs: 30_000 };

/**
 * Milliseconds to wait after failed attempt number `attempt` (from 1): uniform in (0, min(cap, base * 2^(attempt-1))],
 * so that machines which failed together do not come back together.
 */
export function backoffMs(attempt: number, { baseMs, capMs }: Backoff, random: () => number): number {
  const ceiling = Math.min(capMs, baseMs * 2 ** Math.min(attempt - 1, 30));
  return Math.ceil((1 - random()) * ceiling);
}
