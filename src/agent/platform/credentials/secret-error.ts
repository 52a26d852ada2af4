import { ExpectedError } from '../../../kit/errors.ts';
import type { Code } from '../../../protocol/codes/codes.ts';
import { SourceError } from '../metadata/source-error.ts';

/** Why a secret was not had; the code says what can be done. */
export class SecretError extends ExpectedError {
  override readonly name = 'SecretError';
  readonly code: SecretCode;
  /** What helps in this case, where the table's remedy would not. */
  readonly remedy: string | undefined;

  constructor(code: SecretCode, cause: string, remedy?: string) {
    super(cause);
    this.code = code;
    this.remedy = remedy;
  }
}

type SecretCode = Extract<Code, `Secret${string}`>;

/** What a cloud's metadata service says, in the words of a store: no identity is no right. */
export async function withSecretErrors<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    const code = error.kind === 'refused' ? 'SecretDenied' : 'SecretStoreUnreachable';
    throw new SecretError(code, error.message.replace(/\.$/, ''));
  }
}
