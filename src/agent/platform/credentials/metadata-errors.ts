import { SourceError } from '../metadata/source-error.ts';
import { SecretError } from './secret-error.ts';

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
