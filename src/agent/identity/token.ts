import { rememberSecrets } from '../../secrets/remembered.ts';
import type { Sensitive } from '../../secrets/sensitive.ts';
import { type Host, HostError } from '../host/host.ts';

/** Where the enrolment token comes from. */
interface TokenSource {
  token?: Sensitive<string>;
  tokenFile?: string;
}

/** Undefined if there is none (any more). */
export async function readToken(host: Host, { token, tokenFile }: TokenSource): Promise<string | undefined> {
  const text =
    token?.reveal() ??
    (tokenFile && (await host.files.readIfPresent(tokenFile, 4096))?.toString('utf8').trim());
  if (!text) return undefined;
  rememberSecrets([text]);
  return text;
}

/** Removes a used token that has its own file. @returns why that failed, if it did */
export async function removeToken(host: Host, { tokenFile }: TokenSource): Promise<string | undefined> {
  if (tokenFile === undefined) return undefined;
  try {
    await host.files.remove(tokenFile);
    return undefined;
  } catch (error) {
    if (error instanceof HostError) return error.message;
    throw error;
  }
}
