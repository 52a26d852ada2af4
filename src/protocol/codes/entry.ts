/** The shape of an entry in the table of codes. */

type Category =
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
  | 'identity'
  | 'agent';

/**
 * `transient`: another attempt soon may succeed. `permanent`: the same input fails again on the same machine.
 * `until-deadline`: nobody can tell it from "not yet", so Slipway retries until the deadline.
 */
export type Persistence = 'transient' | 'permanent' | 'until-deadline';

export interface CodeEntry {
  category: Category;
  persistence: Persistence;
  /** One general sentence; a failure's own `cause` names the particulars. */
  cause: string;
  /** One sentence in the imperative. */
  remedy: string;
  /** It is never why a bootstrap fails: it stands among the findings, and Slipway goes on. */
  onlyFinding?: true;
}

/** Makes one row of the table. */
export const entry = (
  category: Category,
  persistence: Persistence,
  cause: string,
  remedy: string,
): CodeEntry => ({ category, persistence, cause, remedy });

/** Makes a row for what is only ever a finding, and stays until somebody changes it. */
export const finding = (category: Category, cause: string, remedy: string): CodeEntry => ({
  ...entry(category, 'permanent', cause, remedy),
  onlyFinding: true,
});
