import { CODES, type Code } from '../../../protocol/codes/codes.ts';

/**
 * `fatal`: kubeadm is sure to refuse the machine, or the machine cannot work as a node. `warning`: it may. `mended`: it
 * was so, and has been put right.
 */
export type Severity = 'fatal' | 'warning' | 'mended';

/** What a check found. */
export interface PreflightFinding {
  severity: Severity;
  code: Code;
  /** One sentence without a full stop. */
  message: string;
  /** One sentence; the table's where there is no better one. */
  remedy: string;
  /** kubeadm's own name of the check, by which a user may have it ignored, e.g. `Port-10250`. */
  kubeadmCheck?: string;
}

/** A finding with the table's remedy. */
export function found(
  severity: Severity,
  code: Code,
  message: string,
  more: { remedy?: string; kubeadmCheck?: string } = {},
): PreflightFinding {
  return { severity, code, message, remedy: CODES[code].remedy, ...more };
}
