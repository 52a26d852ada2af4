/** Failures of our own around kubeadm, told with a code of the table. */
import { ExpectedError } from '../../kit/errors.ts';
import { type Code, codes } from '../../protocol/codes/codes.ts';
import type { Failure } from '../../protocol/journal.ts';

/** Thrown where kubeadm cannot even be started; `failure` is ready for the journal. */
export class KubeadmError extends ExpectedError {
  override readonly name = 'KubeadmError';
  readonly failure: Failure;

  constructor(code: Code, cause: string, remedy: string = codes()[code].fix) {
    super(cause);
    this.failure = { code, cause, remedy };
  }
}
