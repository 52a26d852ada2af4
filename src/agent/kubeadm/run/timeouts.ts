/** How long kubeadm may wait inside one attempt. The deadline decides how often Slipway repeats it. */

/** Discovery gets this long in one attempt, so that the agent can say why it failed; see `shapeConfig`. */
export const DISCOVERY_SECONDS = 60;

/** Where Slipway has waited for the cluster and none came, kubeadm only has to say why. */
export const LAST_WORD_SECONDS = 10;

/**
 * A token that the cluster does not know while it knows others, and an address without a route, are late by a minute at most: a
 * kube-controller-manager that takes over as leader signs within that, and a virtual address moves faster. Three minutes leave room
 * for both, and for somebody who makes a token by hand; kubeadm alone gives up after five. Whoever waits longer keeps Cluster API
 * from replacing a machine that will never join.
 */
export const GRACE_SECONDS = 180;

/** Where a container runtime has answered nobody for so long, kubeadm is left to complain of it. */
export const RUNTIME_SECONDS = 30;

/** Time to pull all images of a control plane; kubeadm itself pulls what is lacking then. */
export const PULL_SECONDS = 240;

/** The time between the end of kubeadm's own waits and the deadline, for its last words and for ours. */
const MARGIN_SECONDS = 10;
const LEAST_SECONDS = 5;

/**
 * The longest that a wait inside kubeadm may take, in whole seconds, when so much time is left; see
 * `capTimeouts`. A quarter of an hour is longer than any of them, and infinite time is infinite.
 */
export function capSeconds(remainingMs: number): number | undefined {
  const seconds = Math.floor(remainingMs / 1000) - MARGIN_SECONDS;
  return Number.isFinite(seconds) && seconds < 900 ? Math.max(LEAST_SECONDS, seconds) : undefined;
}
