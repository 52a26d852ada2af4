import { printable } from '../../protocol/wire.ts';

/**
 * What becomes of a certificate request: it is approved or denied for good, looked at again later, or left to whoever
 * knows more of it.
 */
export interface Verdict {
  readonly is: 'approve' | 'deny' | 'wait' | 'leave';
  /** A sentence for people; what the request calls itself may be in it. */
  readonly because: string;
}

export const approve = (because: string): Verdict => of('approve', because);
export const deny = (because: string): Verdict => of('deny', because);
export const wait = (because: string): Verdict => of('wait', because);
export const leave = (because: string): Verdict => of('leave', because);

/** It goes into conditions and logs. */
function of(is: Verdict['is'], because: string): Verdict {
  return { is, because: printable(because) };
}
