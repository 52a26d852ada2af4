import { ExpectedError } from '../../../kit/errors.ts';
import type { Code } from '../../../protocol/codes/codes.ts';

/** Why a secret was not had; the code says what can be done. */
export class SecretError extends ExpectedError {
  override readonly name = 'SecretError';
  readonly code: SecretCode;

  constructor(code: SecretCode, cause: string) {
    super(cause);
    this.code = code;
  }
}

type SecretCode = Extract<Code, `Secret${string}`>;
