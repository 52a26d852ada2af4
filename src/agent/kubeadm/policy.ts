/** How kubeadm is tried again; data for the engine's one retry module. How often is up to the deadline. */

export interface AttemptPolicy {
  /** First pause between attempts and its cap, in milliseconds; exponential with full jitter in between. */
  firstPauseMs: number;
  maxPauseMs: number;
  /** Discovery is given this long in one attempt, in seconds; see shapeConfig. */
  discoveryTimeoutSeconds: number;
}

/** An attempt of `init` makes a new control plane, so there is more time between two of them. */
export function kubeadmPolicy(verb: 'init' | 'join'): AttemptPolicy {
  return { firstPauseMs: verb === 'init' ? 5_000 : 2_000, maxPauseMs: 30_000, discoveryTimeoutSeconds: 60 };
}
