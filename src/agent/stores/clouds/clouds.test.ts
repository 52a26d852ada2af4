import { afterEach, describe, expect, it } from 'vitest';
import { type Given, type Got, type World, world } from '../fixtures/world.ts';
import { crc32c } from './gcp.ts';

const METADATA = 'http://169.254.169.254';
const VAULT = 'https://my-vault.vault.azure.net';
const GCP = 'https://secretmanager.googleapis.com';

let made: World | undefined;
afterEach(async () => {
  await made?.close();
  made = undefined;
});

async function cloud(answer: (got: Got) => Given, metadata: (got: Got) => Given): Promise<World> {
  made = await world((got) => (got.url.startsWith(METADATA) ? metadata(got) : answer(got)));
  return made;
}

/** As the documentation of managed identities shows it. */
const azureToken = (): Given => ({
  body: {
    access_token: 'azure-token',
    expires_in: '3599',
    resource: 'https://vault.azure.net',
    token_type: 'Bearer',
  },
});
const azureError = (status: number, code: string) => (): Given => ({
  status,
  body: { error: { code, message: 'azure-secret' } },
});

describe('Azure Key Vault', () => {
  it('asks with the identity of the machine, for this vault only', async () => {
    const { read, got } = await cloud(
      () => ({ body: { value: 'v', id: `${VAULT}/secrets/a/1` } }),
      azureToken,
    );
    expect(await read('azure-keyvault://my-vault/a/1', { azure: { clientId: 'c' } })).toBe('v');
    const [token, secret] = got;
    expect(token).toMatchObject({
      url: `${METADATA}/metadata/identity/oauth2/token?api-version=2018-02-01&resource=https%3A%2F%2Fvault.azure.net&client_id=c`,
      headers: { metadata: 'true' },
    });
    expect(secret).toMatchObject({
      url: `${VAULT}/secrets/a/1?api-version=7.4`,
      headers: { authorization: 'Bearer azure-token' },
    });
  });

  it('deletes the secret, not a version', async () => {
    const { remove, got } = await cloud(() => ({ body: {} }), azureToken);
    await remove('azure-keyvault://my-vault.vault.azure.cn/a/1?delete=true');
    expect(got.at(-1)).toMatchObject({
      method: 'DELETE',
      url: 'https://my-vault.vault.azure.cn/secrets/a?api-version=7.4',
    });
    expect(got[0]?.url).toContain('resource=https%3A%2F%2Fvault.azure.cn');
  });

  it.each<[string, (got: Got) => Given, string, RegExp]>([
    ['403', azureError(403, 'Forbidden'), 'SecretDenied', /Forbidden \(status 403\)/],
    ['a token that is refused twice', azureError(401, 'Unauthorized'), 'SecretDenied', /401/],
    ['404', azureError(404, 'SecretNotFound'), 'SecretNotFound', /SecretNotFound/],
    ['429', azureError(429, 'Throttled'), 'SecretStoreUnreachable', /429/],
    ['5xx', azureError(503, 'x'), 'SecretStoreUnreachable', /503/],
    [
      'a cut answer',
      () => ({ body: { value: 'x' }, cut: true }),
      'SecretStoreUnreachable',
      /does not answer/,
    ],
  ])('says what %s means', async (_, answer, code, cause) => {
    const { read } = await cloud(answer, azureToken);
    const failed = await read('azure-keyvault://my-vault/a').catch((error: unknown) => error);
    expect(failed).toMatchObject({ code, message: expect.stringMatching(cause) });
    expect(String(failed)).not.toContain('azure-secret');
  });

  it('says that the machine has no identity', async () => {
    const { read } = await cloud(
      () => ({}),
      () => ({ status: 400, body: { error: 'invalid_request', error_description: 'Identity not found' } }),
    );
    await expect(read('azure-keyvault://my-vault/a')).rejects.toMatchObject({
      code: 'SecretDenied',
      message: expect.stringMatching(/no identity/),
    });
  });
});

const gcpMetadata = ({ url }: Got): Given =>
  url.endsWith('/project/project-id')
    ? { body: 'own-project' }
    : { body: { access_token: 'gcp-token', expires_in: 3599, token_type: 'Bearer' } };
const payload = (text: string, sum = String(crc32c(Buffer.from(text)))): Given => ({
  body: {
    name: 'projects/1/secrets/a/versions/7',
    payload: { data: Buffer.from(text).toString('base64'), dataCrc32c: sum },
  },
});
const gcpError = (status: number, name: string) => (): Given => ({
  status,
  body: { error: { code: status, message: 'quoted by it', status: name } },
});

describe('GCP Secret Manager', () => {
  it('has the checksum of RFC 3720', () => {
    expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283);
  });

  it('asks with the service account of the machine', async () => {
    const { read, got } = await cloud(() => payload('v'), gcpMetadata);
    expect(await read('gcp-secretmanager:///a')).toBe('v');
    expect(await read('gcp-secretmanager://other/a/7')).toBe('v');
    const asked = got.filter(({ url }) => url.startsWith(GCP)).map(({ url }) => url.slice(GCP.length));
    expect(asked).toEqual([
      '/v1/projects/own-project/secrets/a/versions/latest:access',
      '/v1/projects/other/secrets/a/versions/7:access',
    ]);
    expect(got[0]?.headers['metadata-flavor']).toBe('Google');
    expect(got.at(-1)?.headers.authorization).toBe('Bearer gcp-token');
  });

  it('gets another token, once, and deletes the secret', async () => {
    const answers = [gcpError(401, 'UNAUTHENTICATED')(), {}];
    const { remove, got } = await cloud(() => ({ body: {}, ...answers.shift() }), gcpMetadata);
    await remove('gcp-secretmanager://p/a/7?delete=true');
    expect(got.at(-1)).toMatchObject({ method: 'DELETE', url: `${GCP}/v1/projects/p/secrets/a` });
    expect(got.filter(({ url }) => url.endsWith('/token'))).toHaveLength(2);
  });

  it.each<[string, (got: Got) => Given, string, RegExp]>([
    ['403', gcpError(403, 'PERMISSION_DENIED'), 'SecretDenied', /PERMISSION_DENIED/],
    ['404', gcpError(404, 'NOT_FOUND'), 'SecretNotFound', /NOT_FOUND/],
    ['a destroyed version', gcpError(400, 'FAILED_PRECONDITION'), 'SecretNotFound', /FAILED_PRECONDITION/],
    ['429', gcpError(429, 'RESOURCE_EXHAUSTED'), 'SecretStoreUnreachable', /429/],
    ['5xx', gcpError(500, 'INTERNAL'), 'SecretStoreUnreachable', /500/],
    ['a byte that changed on the way', () => payload('v', '1'), 'SecretStoreUnreachable', /checksum/],
    ['half of the JSON', () => ({ body: '{"payload": {"da' }), 'SecretStoreUnreachable', /truncated/],
  ])('says what %s means', async (_, answer, code, cause) => {
    const { read } = await cloud(answer, gcpMetadata);
    const failed = await read('gcp-secretmanager://p/a').catch((error: unknown) => error);
    expect(failed).toMatchObject({ code, message: expect.stringMatching(cause) });
    expect(String(failed)).not.toContain('quoted by it');
  });
});
