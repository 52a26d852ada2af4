import { textAt } from '../../../kit/json.ts';
import type { Host } from '../../host/host.ts';
import { type Ask, basesOf, MetadataClient } from '../metadata/metadata-client.ts';
import { SecretError, withSecretErrors } from './secret-error.ts';

const PATIENCE_MS = 20_000;
/** Both clouds answer there; by name, whoever answers for DNS could give the token of another machine. */
const BASES = basesOf('http://169.254.169.254');

/** What a cloud's metadata service answers a path with. @throws SecretError */
export async function readFromMetadata(host: Host, called: string, path: string, ask: Ask): Promise<string> {
  const client = new MetadataClient(host, { bases: BASES, patienceMs: PATIENCE_MS, called });
  try {
    const text = await withSecretErrors(() => client.text(path, ask));
    if (text === undefined)
      throw new SecretError('SecretDenied', `${called} provides no identity for this machine`);
    return text;
  } finally {
    client.close();
  }
}

/** `access_token` of an answer of OAuth 2. @throws SecretError */
export function accessToken(text: string, called: string): string {
  let token: string | undefined;
  try {
    token = textAt(JSON.parse(text), 'access_token');
  } catch {
    throw new SecretError('SecretStoreUnreachable', `${called} returned a truncated token`);
  }
  if (token === undefined) throw new SecretError('SecretDenied', `${called} returned no token`);
  return token;
}
