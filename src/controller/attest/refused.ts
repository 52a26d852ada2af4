import { ExpectedError } from '../../kit/errors.ts';
import type { Code } from '../../protocol/codes/codes.ts';
import type { RefusalCode } from '../../protocol/exchange.ts';

interface RefusedOptions {
  /** For a machine that proved its identity. */
  words?: string;
  /** The code that the machine's own verdict gets; it is told with `words`. */
  reason?: Code;
  /** This request proved it, whatever its connection did: it gets the words. */
  isProved?: boolean;
  /** The certificate that was shown counts no longer. */
  isFormer?: boolean;
  retryAfterMs?: number;
}

/** A refused request. `message` is for the log; a stranger gets only `code`. */
export class Refused extends ExpectedError {
  override readonly name = 'Refused';
  readonly code: RefusalCode;
  readonly words: string | undefined;
  readonly reason: Code | undefined;
  readonly isProved: boolean;
  readonly isFormer: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(code: RefusalCode, message: string, options: RefusedOptions = {}) {
    super(message);
    this.code = code;
    this.words = options.words;
    this.reason = options.reason;
    this.isProved = options.isProved ?? false;
    this.isFormer = options.isFormer ?? false;
    this.retryAfterMs = options.retryAfterMs;
  }
}
