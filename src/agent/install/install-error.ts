import { ExpectedError } from '../../kit/errors.ts';

/** What the image does not allow. */
export class InstallError extends ExpectedError {
  override readonly name = 'InstallError';
  /** What was done all the same, a sentence for each thing. */
  readonly done: readonly string[];

  constructor(message: string, done: readonly string[] = []) {
    super(message);
    this.done = done;
  }
}
