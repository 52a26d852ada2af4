interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

/** What one API server may cost that somebody else than the operator has named. */
export interface Limits {
  /** Of one answer that is no list. */
  readonly answerBytes: number;
  /** Of one object in a list or watch. */
  readonly objectBytes: number;
  /** Of everything that is read from it. */
  readonly bytes: Rate;
  /** Of the time of this process that is spent on it. */
  readonly workMs: Rate;
}

const MIB = 1024 * 1024;

/**
 * Ten thousand nodes that join at once stay within the bursts: their certificate requests have some 40 MiB. etcd takes objects
 * of up to 1.5 MiB.
 */
export const TENANT: Limits = {
  answerBytes: 2 * MIB,
  objectBytes: 2 * MIB,
  bytes: { burst: 64 * MIB, perSecond: MIB },
  workMs: { burst: 10_000, perSecond: 100 },
};
