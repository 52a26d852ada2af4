import { ExpectedError } from '../../kit/errors.ts';

/** What the image does not allow; nothing was changed. */
export class InstallError extends ExpectedError {
  override readonly name = 'InstallError';
}
