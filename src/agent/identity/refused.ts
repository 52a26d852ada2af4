import { ExpectedError } from '../../kit/errors.ts';

/** The controller answered, but gave no certificate. */
export class EnrolmentRefused extends ExpectedError {
  override readonly name = 'EnrolmentRefused';
  readonly status: number;

  /** @param by what the machine wanted to prove itself by */
  constructor(status: number, by: 'token' | 'tpm') {
    super(
      status === 401 || status === 403
        ? WORDS[by]
        : `the controller answered the enrolment with status ${status}`,
    );
    this.status = status;
  }
}

const WORDS = {
  token:
    'the controller does not accept the enrolment token; it may have expired, been used up, or belong to another controller',
  tpm: "the controller does not accept this machine's TPM; annotate its Machine with slipway.dev/endorsement-key (slipway identity prints the key)",
} as const;
