/**
 * What becomes of a certificate request: it is approved or denied for good, looked at again later, or left to whoever
 * knows more of it.
 */
export interface Verdict {
  readonly is: 'approve' | 'deny' | 'wait' | 'leave';
  /** A sentence for people. */
  readonly because: string;
}

export const approve = (because: string): Verdict => ({ is: 'approve', because });
export const deny = (because: string): Verdict => ({ is: 'deny', because });
export const wait = (because: string): Verdict => ({ is: 'wait', because });
export const leave = (because: string): Verdict => ({ is: 'leave', because });
