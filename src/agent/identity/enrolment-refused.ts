import { ExpectedError } from '../../kit/errors.ts';
import { visible } from '../../kit/terminal/visible.ts';
import { readRefusal } from '../../protocol/secret-release.ts';
import type { HttpResponse } from '../host/network.ts';

/** The controller answered, but gave no certificate. */
export class EnrolmentRefused extends ExpectedError {
  override readonly name = 'EnrolmentRefused';
  readonly status: number;
  /** The code that the controller gives, if it does. */
  readonly reason: string | undefined;

  /** @param by what the machine wanted to prove itself by */
  constructor({ status, body }: Pick<HttpResponse, 'status' | 'body'>, by: 'token' | 'tpm') {
    const isNo = status === 401 || status === 403;
    super(
      wordsIn(body) ?? (isNo ? WORDS[by] : `the controller answered the enrolment with status ${status}`),
    );
    this.status = status;
    this.reason = readRefusal(body).reason;
  }
}

/** What a controller tells a machine whose proof it believes. */
function wordsIn(body: string): string | undefined {
  try {
    const { words } = JSON.parse(body);
    return typeof words === 'string' && words !== ''
      ? `the controller says: ${visible(words).slice(0, 1024)}`
      : undefined;
  } catch {
    return undefined;
  }
}

const WORDS = {
  token:
    'the controller does not accept the enrolment token; it may have expired, been used up, or belong to another controller',
  tpm: "the controller does not accept this machine's TPM; annotate its Machine with slipway.dev/endorsement-key (slipway identity prints the key)",
} as const;
