import { textAt } from '../../../kit/json.ts';
import type { VaultSettings } from '../../document/node-settings.ts';
import { SecretError } from '../../platform/credentials/secret-error.ts';
import type { StoreContext } from '../contract/store.ts';
import { textOf, type VaultClient } from './vault-client.ts';
import { unwrapToken } from './wrapping.ts';

/** A token of Vault. */
export interface Session {
  token: string;
  /** It was made for this machine just now, and is revoked when it is done. */
  isOwn: boolean;
}

/** Logs in as the settings say. @throws SecretError */
export async function login(
  context: StoreContext,
  client: VaultClient,
  settings: VaultSettings,
): Promise<Session> {
  const { appRole, certificate, tokenFile } = settings;
  if (appRole) {
    const secretId = await secretIdOf(context, client, appRole);
    const body = { role_id: appRole.roleId, ...(secretId === undefined ? {} : { secret_id: secretId }) };
    return sessionOf(await client.call('POST', `auth/${appRole.mount}/login`, { body }));
  }
  if (certificate) {
    const { mount, role } = certificate;
    return sessionOf(
      await client.call('POST', `auth/${mount}/login`, { body: role === undefined ? {} : { name: role } }),
    );
  }
  if (tokenFile !== undefined) return { token: (await textOf(context, tokenFile)).trim(), isOwn: false };
  throw new SecretError(
    'SecretDenied',
    'no way to log in to Vault is given',
    'Give appRole, certificate or tokenFile of slipway.secrets.vault.',
  );
}

async function secretIdOf(
  context: StoreContext,
  client: VaultClient,
  { mount, secretId, secretIdFile, wrappedSecretId }: NonNullable<VaultSettings['appRole']>,
): Promise<string | undefined> {
  if (secretId) return secretId.reveal();
  if (secretIdFile !== undefined) return (await textOf(context, secretIdFile)).trim();
  if (wrappedSecretId === undefined) return undefined;
  const made = new RegExp(`^auth/${mount.replace(/[.*+?^${'{'}}()|[\]\\]/g, '\\$&')}/role/[^/]+/secret-id$`);
  const answer = await unwrapToken(context.host, client, wrappedSecretId.reveal(), made);
  const given = textAt(answer, 'data', 'secret_id');
  if (given === undefined)
    throw new SecretError(
      'SecretOpenedElsewhere',
      'the wrapping token holds no secret_id',
      'Wrap the answer of auth/approle/role/NAME/secret-id (vault write -wrap-ttl=1h -f ...), and nothing else.',
    );
  return given;
}

function sessionOf(answer: unknown): Session {
  const token = textAt(answer, 'auth', 'client_token');
  if (token === undefined) throw new SecretError('SecretDenied', 'the login gives no token');
  return { token, isOwn: true };
}
