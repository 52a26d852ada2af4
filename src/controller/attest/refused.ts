import { ExpectedError } from '../../kit/errors.ts';
import type { RefusalCode } from '../../protocol/events.ts';

/** A request that is refused. `message` is for the log; a stranger learns `code` alone. */
export class Refused extends ExpectedError {
  override readonly name = 'Refused';
  readonly code: RefusalCode;
  /** For a machine that proved who it is. */
  readonly words: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(code: RefusalCode, message: string, options: { words?: string; retryAfterMs?: number } = {}) {
    super(message);
    this.code = code;
    this.words = options.words;
    this.retryAfterMs = options.retryAfterMs;
  }
}
