import { ExpectedError } from '../../kit/errors.ts';

/** There is no certificate to give out; the message says why. */
export class CredentialProblem extends ExpectedError {
  override readonly name = 'CredentialProblem';
  readonly code: 'CredentialUnavailable' | 'CredentialRefused';

  constructor(code: CredentialProblem['code'], message: string) {
    super(message);
    this.code = code;
  }
}
