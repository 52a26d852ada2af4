/** How kubeadm is tried again; data for the engine's one retry module. How often is up to the deadline. */
import type { Backoff } from '../../kit/backoff.ts';

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
