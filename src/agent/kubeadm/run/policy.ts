/** How kubeadm is tried again; data for the engine's one retry module. How often is up to the deadline. */
import type { Backoff } from '../../../kit/backoff.ts';

export interface AttemptPolicy {
  backoff: Backoff;
  /** Discovery is given this long in one attempt, in seconds; see shapeConfig. */
  discoveryTimeoutSeconds: number;
}

/** An attempt of `init` makes a new control plane, so there is more time between two of them. */
export function kubeadmPolicy(verb: 'init' | 'join'): AttemptPolicy {
  return {
    backoff: { baseMs: verb === 'init' ? 5_000 : 2_000, capMs: 30_000 },
    discoveryTimeoutSeconds: 60,
  };
}

/** What lies between the end of kubeadm's own waits and the deadline, for its last words and for ours. */
const MARGIN_SECONDS = 10;
const LEAST_SECONDS = 5;

/**
 * The longest that a wait inside kubeadm may take, in whole seconds, when so much time is left; see `capTimeouts`. A
 * quarter of an hour is longer than any of them, and infinite time is infinite.
 */
export function capSeconds(remainingMs: number): number | undefined {
  const seconds = Math.floor(remainingMs / 1000) - MARGIN_SECONDS;
  return Number.isFinite(seconds) && seconds < 900 ? Math.max(LEAST_SECONDS, seconds) : undefined;
}
