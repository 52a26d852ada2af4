/** The shape of an entry in the table of codes. */

export type Category =
  | 'user data'
  | 'preflight'
  | 'runtime'
  | 'image'
  | 'network'
  | 'discovery'
  | 'credentials'
  | 'kubelet'
  | 'control plane'
  | 'etcd'
  | 'node'
  | 'agent';

/**
 * `transient`: trying again soon may help. `permanent`: the same input on the same machine fails again.
 * `until-deadline`: cannot be told apart from "not yet", so it is tried until the deadline.
 */
export type Persistence = 'transient' | 'permanent' | 'until-deadline';

export interface CodeEntry {
  category: Category;
  persistence: Persistence;
  /** One sentence, general; a failure's own `cause` names the particulars. */
  cause: string;
  /** One sentence in the imperative. */
  remedy: string;
}

/** One row of the table. */
export const entry = (
  category: Category,
  persistence: Persistence,
  cause: string,
  remedy: string,
): CodeEntry => ({ category, persistence, cause, remedy });
