import { ExpectedError } from '../../../kit/errors.ts';

/** Why a source that is this machine's gives nothing; `findUserData` makes the answer of it. */
export class SourceError extends ExpectedError {
  override readonly name = 'SourceError';
  readonly kind: 'needs-network' | 'not-yet' | 'refused';

  constructor(kind: SourceError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}
