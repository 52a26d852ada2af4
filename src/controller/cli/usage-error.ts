import { ExpectedError } from '../../kit/errors.ts';

/** An argument makes no sense; exit status 2. */
export class UsageError extends ExpectedError {
  override readonly name = 'UsageError';
}
