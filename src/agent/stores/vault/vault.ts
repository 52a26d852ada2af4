import { at, textAt } from '../../../kit/json.ts';
import type { VaultSettings } from '../../document/node-settings.ts';
import { SecretError } from '../../platform/credentials/secret-error.ts';
import type { Store, StoreContext } from '../contract/store.ts';
import { textOf, unwrapToken, type VaultClient, vaultClient } from './vault-client.ts';

/** Paths of KV version 2, which holds the metadata of all versions apart. */
const DATA = /^([^/]+(?:\/[^/]+)*?)\/data\/(.+)$/;

/** Vault or OpenBao: secrets by the path that their policies name, and wrapped ones by their token. */
export function openVault(context: StoreContext): Store {
  const { vault: settings } = context.spec.settings;
  if (settings === undefined)
    throw new SecretError(
      'SecretDenied',
      'no Vault server is configured',
      'Set slipway.secrets.vault.address in the user data or /etc/slipway/node.yaml.',
    );
  let client: Promise<VaultClient> | undefined;
  let session: Promise<Session> | undefined;
  const opened = () => {
    client ??= vaultClient(context, settings);
    return client;
  };
  const loggedIn = async () => {
    const known = await opened();
    session ??= login(context, known, settings);
    return session;
  };
  return {
    async read({ store, name, options }) {
      if (store === 'vault-wrapped')
        return contentOf(await unwrapToken(context.host, await opened(), options.token ?? '', name));
      const { version } = options;
      const query = version === undefined ? '' : `?version=${encodeURIComponent(version)}`;
      const token = (await loggedIn()).token;
      return contentOf(await (await opened()).call('GET', `${escaped(name)}${query}`, { token }));
    },
    async remove({ name }) {
      const [, mount, path] = DATA.exec(name) ?? [];
      const whole = mount === undefined ? name : `${mount}/metadata/${path}`;
      await (await opened()).call('DELETE', escaped(whole), { token: (await loggedIn()).token });
    },
    async close() {
      const known = await session?.catch(() => undefined);
      if (known?.isOwn) await (await opened()).call('POST', 'auth/token/revoke-self', known).catch(ignored);
      (await client?.catch(() => undefined))?.close();
    },
  };
}

/** A token that is not revoked ends by itself. */
function ignored(error: unknown): void {
  if (!(error instanceof SecretError)) throw error;
}

/** `data` of the answer; that of KV version 2 lies one deeper, beside its metadata. */
function contentOf(answer: unknown): Buffer {
  const isVersion2 = at(answer, 'data', 'metadata', 'version') !== undefined;
  const data = isVersion2 ? at(answer, 'data', 'data') : at(answer, 'data');
  if (typeof data !== 'object' || data === null)
    throw new SecretError('SecretNotFound', 'its latest version is deleted, or it is empty');
  return Buffer.from(JSON.stringify(data));
}

function escaped(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/');
}

/** A token of Vault. */
interface Session {
  token: string;
  /** It was made for this machine just now, and is revoked when it is done. */
  isOwn: boolean;
}

/** Logs in as the settings say. @throws SecretError */
async function login(context: StoreContext, client: VaultClient, settings: VaultSettings): Promise<Session> {
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
    'no login method for Vault is configured',
    'Set appRole, certificate or tokenFile in slipway.secrets.vault.',
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
      'the wrapping token contains no secret_id',
      'Wrap only the response of auth/approle/role/NAME/secret-id (vault write -wrap-ttl=1h -f ...).',
    );
  return given;
}

function sessionOf(answer: unknown): Session {
  const token = textAt(answer, 'auth', 'client_token');
  if (token === undefined) throw new SecretError('SecretDenied', 'the login returned no token');
  return { token, isOwn: true };
}
