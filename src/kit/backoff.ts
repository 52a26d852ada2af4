/** Exponential back-off with full jitter; the one place that knows how long to wait before trying again. */
export interface Backoff {
  /** Upper bound of the first wait. */
  baseMs: number;
  /** Upper bound of every wait. kOps had reached 34 minutes without one (kops ff2f69c031). */
  capMs: number;
}

export const DEFAULT_BACKOFF: Backoff = { baseMs: 2000, capMs: 30_000 };

/** Who tries again after what; no other file has figures of its own. */
export const BACKOFF = {
  /** A step that failed because of a service that is still starting. */
  starting: { baseMs: 2_000, capMs: 5_000 },
  /** A list or a watch of the API server. */
  watch: { baseMs: 500, capMs: 30_000 },
  /** A piece of the controller's work that failed. */
  work: { baseMs: 500, capMs: 30_000 },
  /** A condition that another controller overwrites each time. */
  fight: { baseMs: 5_000, capMs: 10 * 60_000 },
} as const satisfies Record<string, Backoff>;

/** What the controller asks of machines with Retry-After while its store takes nothing and names no time. */
export const STORE_BUSY_MS = 2_000;

/** A longer wish of a server is cut to this: it may be wrong, and nobody would know that it is. */
const MAX_ASKED_MS = 10 * 60_000;
/** Bound of the jitter on top of a wish. */
const ASKED_JITTER_MS = 5_000;

/**
 * Milliseconds to wait after failed attempt number `attempt` (from 1): uniform in (0, min(cap, base * 2^(attempt-1))],
 * so that machines which failed together do not come back together.
 */
export function backoffMs(attempt: number, { baseMs, capMs }: Backoff, random: () => number): number {
  const ceiling = Math.min(capMs, baseMs * 2 ** Math.min(attempt - 1, 30));
  return Math.ceil((1 - random()) * ceiling);
}

/**
 * As `backoffMs`, or what the server asked for (`retryAfterMs`), ten minutes at most. A wish gets jitter on top, up to five
 * seconds, or all come back at the same moment.
 */
export function waitMs(
  attempt: number,
  backoff: Backoff,
  random: () => number,
  askedMs: number | undefined,
): number {
  const pauseMs = backoffMs(attempt, backoff, random);
  if (askedMs === undefined) return pauseMs;
  return Math.min(askedMs, MAX_ASKED_MS) + Math.min(pauseMs, ASKED_JITTER_MS);
}
