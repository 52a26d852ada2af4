import { type Code, codes } from '../../../protocol/codes/codes.ts';

/**
 * `fatal`: kubeadm is certain to refuse the machine, or it cannot work as a node. `warning`: either is
 * possible. `mended`: the problem existed, and Slipway has mended it.
 */
type Severity = 'fatal' | 'warning' | 'mended';

/** What a check found. */
export interface PreflightFinding {
  severity: Severity;
  code: Code;
  /** One sentence without a full stop. */
  message: string;
  /** One sentence; the table's unless there is a better one. */
  remedy: string;
  /** kubeadm's name of the check, e.g. `Port-10250`, by which a user may ignore it. */
  kubeadmCheck?: string;
  /** Set where it does not come right by itself, although the table says that its code may. */
  isPermanent?: true;
}

/** A finding with the table's remedy. */
export function preflightFinding(
  severity: Severity,
  code: Code,
  message: string,
  more: Partial<Pick<PreflightFinding, 'remedy' | 'kubeadmCheck' | 'isPermanent'>> = {},
): PreflightFinding {
  return { severity, code, message, remedy: codes()[code].remedy, ...more };
}
