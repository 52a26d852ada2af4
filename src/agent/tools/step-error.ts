import { ExpectedError } from '../../kit/errors.ts';
import type { Code } from '../../protocol/codes/codes.ts';
import type { Failure } from '../../protocol/journal.ts';

/** Why a step could not do one entry; becomes the step's failure. */
export class StepError extends ExpectedError {
  override readonly name = 'StepError';
  readonly code: Code;
  readonly more: Partial<Pick<Failure, 'exitStatus' | 'lines' | 'remedy'>>;

  constructor(
    code: Code,
    cause: string,
    more: Partial<Pick<Failure, 'exitStatus' | 'lines' | 'remedy'>> = {},
  ) {
    super(cause);
    this.code = code;
    this.more = more;
  }
}
