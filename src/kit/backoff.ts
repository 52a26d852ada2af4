/** Exponential back-off with full jitter. Only this file knows how long to wait before another attempt. */
export interface Backoff {
  /** Upper bound of the first wait. */
  baseMs: number;
  /** Upper bound of every wait. Without one, kOps reached 34 minutes (kops ff2f69c031). */
  capMs: number;
}

/** How long everything waits between attempts; no other file has figures of its own. */
export const BACKOFF = {
  /** A step that failed and may succeed by itself. */
  step: { baseMs: 2_000, capMs: 30_000 },
  /** `kubeadm init`: it makes a new control plane, which takes longer to settle than a join. */
  init: { baseMs: 5_000, capMs: 30_000 },
  /** `kubeadm join`. */
  join: { baseMs: 2_000, capMs: 30_000 },
  /** A cloud's metadata service, which starts late or turns machines away that boot all at once. */
  metadata: { baseMs: 250, capMs: 5_000 },
  /** User data that come late: a volume that is attached, a server that whole fleets ask as they boot. */
  userData: { baseMs: 250, capMs: 3_000 },
  /** A connection to the API server that a join needs. To refuse one costs a server nothing, but each try takes processor time here. */
  endpoint: { baseMs: 200, capMs: 1_000 },
  /** An API server that neither answers nor refuses: it may have too much to do. */
  silent: { baseMs: 500, capMs: 5_000 },
  /** A bootstrap token that the API server does not know yet; hundreds of machines may ask. */
  token: { baseMs: 250, capMs: 2_000 },
  /** etcd, whose members change or catch up: each look asks all of them. */
  etcd: { baseMs: 250, capMs: 2_000 },
  /** A Node that is not Ready yet, of which the API server does not tell when it changes. */
  ready: { baseMs: 250, capMs: 2_000 },
  /** The same where it does: only for a watch that has died without a word. */
  watched: { baseMs: 5_000, capMs: 10_000 },
  /** A service of this machine that does not answer yet: nobody else is troubled, but each look takes processor time. */
  local: { baseMs: 150, capMs: 1_000 },
  /** A transport of the reporter. */
  report: { baseMs: 500, capMs: 60_000 },
  /** A step that failed because of a service that is still starting. */
  starting: { baseMs: 2_000, capMs: 5_000 },
  /** A failed list or watch of the API server. */
  watch: { baseMs: 500, capMs: 30_000 },
  /** A piece of the controller's work that failed. */
  work: { baseMs: 500, capMs: 30_000 },
  /** A command to a TPM that is busy. */
  tpm: { baseMs: 20, capMs: 1_000 },
  /** A condition that another controller overwrites each time. */
  fight: { baseMs: 5_000, capMs: 10 * 60_000 },
} as const satisfies Record<string, Backoff>;

/** Pauses that are the same each time: one machine asks for itself, or somebody else has to do something first. */
export const PAUSE_MS = {
  /** A server that phone_home tells. */
  phoneHome: 3_000,
  /** User data that lie elsewhere: a TPM takes its time, and who has them has other machines. */
  elsewhere: 5_000,
  /** The same until a person has decided something. */
  person: 10_000,
  /** A Node's name that the cluster has not given up yet. */
  nodeName: 2_000,
  /** A certificate that could not be renewed and is still good. */
  renewal: 60_000,
} as const;

/** The controller's Retry-After while its store accepts nothing and names no time. */
export const STORE_BUSY_MS = 2_000;

/** Cuts a longer Retry-After: the server may be wrong, and nobody would notice. */
const MAX_ASKED_MS = 10 * 60_000;
/** Upper bound of the jitter that is added to a Retry-After. */
const ASKED_JITTER_MS = 5_000;

/**
 * Milliseconds to wait after failed attempt number `attempt` (from 1): uniform in (0, min(cap, base *
 * 2^(attempt-1))]. The jitter keeps machines that failed together from coming back together.
 */
export function backoffMs(attempt: number, { baseMs, capMs }: Backoff, random: () => number): number {
  const ceiling = Math.min(capMs, baseMs * 2 ** Math.min(attempt - 1, 30));
  return Math.ceil((1 - random()) * ceiling);
}

/**
 * Like `backoffMs`, but a server's `retryAfterMs` takes precedence: at most ten minutes, plus up to five
 * seconds of jitter, so that not all machines come back at the same moment.
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
