import { ExpectedError } from '../../kit/errors.ts';
import { type Code, codes } from '../../protocol/codes/codes.ts';

/** Sealed user data that do not open; the code says what can be done, and whether another look may help. */
export class SealedProblem extends ExpectedError {
  override readonly name = 'SealedProblem';
  readonly code: Code;

  constructor(code: Code, cause: string) {
    super(cause);
    this.code = code;
  }
}

/** A code that somebody else named, if this version knows it. */
export function knownCode(name: string | undefined): Code | undefined {
  return name !== undefined && Object.hasOwn(codes(), name) ? (name as Code) : undefined;
}
