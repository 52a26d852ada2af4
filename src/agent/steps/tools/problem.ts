import { ExpectedError } from '../../../kit/errors.ts';
import type { Code } from '../../../protocol/codes/codes.ts';
import type { Failure } from '../../../protocol/journal.ts';

/** Why a step could not do one entry; becomes the step's failure. */
export class Problem extends ExpectedError {
  override readonly name = 'Problem';
  readonly code: Code;
  readonly more: Pick<Failure, 'exitStatus' | 'lines'>;

  constructor(code: Code, cause: string, more: Pick<Failure, 'exitStatus' | 'lines'> = {}) {
    super(cause);
    this.code = code;
    this.more = more;
  }
}
