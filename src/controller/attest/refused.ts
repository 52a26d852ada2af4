import { ExpectedError } from '../../kit/errors.ts';
import type { RefusalCode } from '../../protocol/exchange.ts';

/** A refused request. `message` is for the log; a stranger gets only `code`. */
export class Refused extends ExpectedError {
  override readonly name = 'Refused';
  readonly code: RefusalCode;
  /** For a machine that proved its identity. */
  readonly words: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(code: RefusalCode, message: string, options: { words?: string; retryAfterMs?: number } = {}) {
    super(message);
    this.code = code;
    this.words = options.words;
    this.retryAfterMs = options.retryAfterMs;
  }
}
