import { ExpectedError } from '../../../kit/errors.ts';
import type { Code } from '../../../protocol/codes/codes.ts';
import { TamperedError } from '../../../tpm/commands/session.ts';
import { ProofError } from '../../../tpm/evidence/verify-quote.ts';
import { MalformedError } from '../../../tpm/wire/reader.ts';
import { TpmError } from '../../../tpm/wire/tpm-error.ts';

/** The machine cannot prove itself by its TPM; the code says what can be done. */
export class TpmProblem extends ExpectedError {
  override readonly name = 'TpmProblem';
  readonly code: Code;

  constructor(code: Code, cause: string) {
    super(cause);
    this.code = code;
  }
}

/** What the TPM's refusal means to an operator; other errors are passed on as they are. */
export function toTpmProblem(error: unknown): unknown {
  if (error instanceof TpmError) return new TpmProblem(codeOf(error), error.message);
  if (error instanceof TamperedError) return new TpmProblem('TpmTampered', error.message);
  if (error instanceof MalformedError || error instanceof ProofError)
    return new TpmProblem('TpmFailed', error.message);
  return error;
}

function codeOf({ refusal }: TpmError): Code {
  switch (refusal) {
    case 'locked out':
      return 'TpmLockedOut';
    case 'switched off':
      return 'TpmSwitchedOff';
    case 'wrong password':
      return 'TpmPasswordSet';
    case 'policy not met':
      return 'TpmBootStateChanged';
    default:
      return 'TpmFailed';
  }
}
