/** How often kubeadm is tried; data for the engine's one retry module. */
import type { Persistence } from '../../protocol/code-entry.ts';

export interface AttemptPolicy {
  /** Upper bound of attempts by the persistence of the last failure; the deadline bounds them too. */
  attempts: Record<Persistence, number>;
  /** First pause between attempts and its cap, in milliseconds; exponential with full jitter in between. */
  firstPauseMs: number;
  maxPauseMs: number;
  /** Discovery is given this long in one attempt, in seconds; see shapeConfig. */
  discoveryTimeoutSeconds: number;
}

/** A Node that was shut down stays Ready for this long (kube-controller-manager's node-monitor-grace-period), in seconds. */
export const NODE_GRACE_SECONDS = 45;

/**
 * `init` is tried less often than `join`: each attempt of it makes a new control plane, and the failures that pass by
 * themselves are fewer (images, the container runtime). A permanent failure is never tried again.
 */
export function kubeadmPolicy(verb: 'init' | 'join'): AttemptPolicy {
  return {
    attempts:
      verb === 'init'
        ? { transient: 10, 'until-deadline': 5, permanent: 1 }
        : { transient: Number.POSITIVE_INFINITY, 'until-deadline': Number.POSITIVE_INFINITY, permanent: 1 },
    firstPauseMs: 2_000,
    maxPauseMs: 30_000,
    discoveryTimeoutSeconds: 60,
  };
}
