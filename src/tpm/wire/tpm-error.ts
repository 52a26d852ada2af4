import { ExpectedError } from '../../kit/errors.ts';

/** What a TPM's refusal means to those who can act upon it. */
type TpmRefusal =
  | 'busy'
  | 'locked out'
  | 'wrong password'
  | 'switched off'
  | 'broken'
  | 'no such object'
  | 'full'
  | 'not for this key'
  | 'policy not met'
  | 'other';

/** The TPM answered a command with an error (Part 2, 6.6). */
export class TpmError extends ExpectedError {
  override readonly name = 'TpmError';
  /** TPM_RC, without the layer that the kernel's resource manager adds. */
  readonly code: number;
  readonly refusal: TpmRefusal;

  constructor(command: string, code: number) {
    const refusal = refusalOf(code);
    super(`the TPM refused ${command}: ${WORDS[refusal]} (0x${code.toString(16)})`);
    this.code = code;
    this.refusal = refusal;
  }
}

const WORDS: Readonly<Record<TpmRefusal, string>> = {
  busy: 'it is busy',
  'locked out': 'it is locked out after wrong passwords',
  'wrong password': 'a custom password or policy is set',
  'switched off': 'it is switched off in the firmware',
  broken: 'it is broken or its self-test failed',
  'no such object': 'it has no such object',
  full: 'it has no room for another object or session',
  'not for this key': 'the data was made for another key',
  'policy not met': 'the current state does not match its policy',
  other: 'for a reason that Slipway does not know',
};

/** Codes of format 0, which stand for themselves. */
const WARNINGS: Readonly<Record<number, TpmRefusal>> = {
  257: 'broken',
  288: 'switched off',
  2306: 'full',
  2307: 'full',
  2309: 'full',
  2312: 'busy',
  2314: 'busy',
  2337: 'locked out',
  2338: 'busy',
  // TPM_RC_INITIALIZE: nothing has started it, so the firmware keeps its hands off.
  256: 'switched off',
};

/** Codes of format 1 by their lowest six bits; the others say which handle, session or parameter is meant. */
const ERRORS: Readonly<Record<number, TpmRefusal>> = {
  11: 'no such object',
  14: 'wrong password',
  29: 'policy not met',
  31: 'not for this key',
  34: 'wrong password',
  47: 'wrong password',
};

function refusalOf(code: number): TpmRefusal {
  if ((code & 0x80) === 0) return WARNINGS[code] ?? 'other';
  return ERRORS[code & 0x3f] ?? 'other';
}
