import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { sensitive } from '../../../secrets/sensitive.ts';
import type { SecretSettings } from '../../document/node-settings.ts';
import { type Given, type Got, type World, world } from '../fixtures/world.ts';

const ADDRESS = 'https://vault.example:8200';
const APP_ROLE: SecretSettings = {
  vault: {
    address: ADDRESS,
    namespace: 'team',
    appRole: { mount: 'approle', roleId: 'r', secretId: sensitive('s') },
  },
};
const LOGIN = { auth: { client_token: 'hvs.login', lease_duration: 3600 } };
const V2 = { data: { data: { user: 'u', password: 'p@ss' }, metadata: { version: 4, destroyed: false } } };
const USED: Given = { status: 400, body: { errors: ['wrapping token is not valid or does not exist'] } };

let made: World | undefined;
afterEach(async () => {
  await made?.close();
  made = undefined;
});

/** Paths behind /v1/, each with what it answers, or a list of answers in turn. */
async function vault(paths: Record<string, Given | ((got: Got) => Given) | unknown>): Promise<World> {
  made = await world((got) => {
    const { pathname } = new URL(got.url);
    const answer = paths[`${got.method} ${pathname.replace('/v1/', '')}`];
    if (typeof answer === 'function') return answer(got);
    return answer === undefined ? { status: 404, body: { errors: [] } } : { body: answer };
  });
  return made;
}

describe('Vault', () => {
  it('logs in by AppRole, reads KV of both versions, and gives its token back', async () => {
    const { read, got } = await vault({
      'POST auth/approle/login': LOGIN,
      'GET secret/data/db': V2,
      'GET kv/db': { data: { password: 'old' }, lease_duration: 2764800 },
      'POST auth/token/revoke-self': () => ({ status: 204 }),
    });
    expect(await read('vault:///secret/data/db?field=password&version=4', APP_ROLE)).toBe('p@ss');
    expect(JSON.parse(await read('vault:///kv/db', APP_ROLE))).toEqual({ password: 'old' });
    const [login, secret, revoked] = got;
    expect(login).toMatchObject({
      url: `${ADDRESS}/v1/auth/approle/login`,
      headers: { 'x-vault-namespace': 'team', 'x-vault-request': 'true' },
      body: '{"role_id":"r","secret_id":"s"}',
    });
    expect(secret).toMatchObject({
      url: `${ADDRESS}/v1/secret/data/db?version=4`,
      headers: { 'x-vault-token': 'hvs.login' },
    });
    expect(revoked).toMatchObject({ method: 'POST', url: `${ADDRESS}/v1/auth/token/revoke-self` });
  });

  it('deletes all versions', async () => {
    const { remove, got } = await vault({
      'POST auth/approle/login': LOGIN,
      'DELETE secret/metadata/a/data/b': () => ({ status: 204 }),
    });
    await remove('vault:///secret/data/a/data/b?delete=true', APP_ROLE);
    expect(got.map(({ method, url }) => `${method} ${url.slice(ADDRESS.length)}`)).toContain(
      'DELETE /v1/secret/metadata/a/data/b',
    );
  });

  it.each<[string, Given, string, RegExp]>([
    [
      '403',
      { status: 403, body: { errors: ['1 error occurred:\n\t* permission denied\n\n'] } },
      'SecretDenied',
      /status 403: permission denied/,
    ],
    ['404', { status: 404, body: { errors: [] } }, 'SecretNotFound', /status 404/],
    [
      'a deleted version',
      { status: 404, body: { data: { data: null, metadata: { deletion_time: 'x' } } } },
      'SecretNotFound',
      /404/,
    ],
    [
      '429',
      { status: 429, body: { errors: ['rate limit quota exceeded'] } },
      'SecretStoreUnreachable',
      /rate-limits requests/,
    ],
    [
      'a sealed server',
      { status: 503, body: { errors: ['Vault is sealed'] } },
      'SecretStoreUnreachable',
      /status 503/,
    ],
    [
      'a redirect',
      { status: 307, headers: { location: 'https://evil.example/v1/secret/data/db' } },
      'SecretDenied',
      /redirects/,
    ],
    ['a cut answer', { body: V2, cut: true }, 'SecretStoreUnreachable', /does not answer/],
    ['half of the JSON', { body: JSON.stringify(V2).slice(0, 40) }, 'SecretStoreUnreachable', /truncated/],
    ['what is not Vault', { body: '<html>' }, 'SecretStoreUnreachable', /not JSON/],
    ['too much', { body: { data: { a: 'x'.repeat(3_000_000) } } }, 'SecretUndecryptable', /more than/],
  ])('says what %s means, and quotes no secret', async (_, answer, code, cause) => {
    const { read, got } = await vault({
      'POST auth/approle/login': LOGIN,
      'GET secret/data/db': () => answer,
    });
    const failed = await read('vault:///secret/data/db', APP_ROLE).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code, message: expect.stringMatching(cause) });
    expect(String(failed)).toMatch(/^SecretError: vault:\/\/\/secret\/data\/db: /);
    expect(String(failed)).not.toMatch(/hvs\.|p@ss/);
    expect(got.every(({ url }) => url.startsWith(ADDRESS))).toBe(true);
  });

  it('refuses a login that is refused, and sends nothing without TLS', async () => {
    const { read, got } = await vault({
      'POST auth/approle/login': () => ({ status: 400, body: { errors: ['invalid role or secret ID'] } }),
    });
    await expect(read('vault:///a', APP_ROLE)).rejects.toMatchObject({
      code: 'SecretDenied',
      message: expect.stringMatching(/invalid role or secret ID/),
    });
    const before = got.length;
    const clear = { vault: { address: 'http://vault.example:8200', tokenFile: '/token' } };
    await expect(read('vault:///a', clear)).rejects.toMatchObject({
      code: 'SecretDenied',
      message: expect.stringMatching(/without TLS/),
      remedy: expect.stringMatching(/https:/),
    });
    await expect(read('vault:///a')).rejects.toMatchObject({
      code: 'SecretDenied',
      remedy: expect.stringMatching(/slipway\.secrets\.vault/),
    });
    expect(got.length).toBe(before);
  });

  it('logs in by a certificate, or takes the token of a file', async () => {
    const { read, got, root } = await vault({ 'POST auth/cert/login': LOGIN, 'GET a': { data: { x: '1' } } });
    mkdirSync(join(root, 'etc'));
    for (const name of ['c.pem', 'k.pem', 'token']) writeFileSync(join(root, 'etc', name), 'from-file\n');
    const certificate = { mount: 'cert', role: 'node', certificateFile: '/etc/c.pem', keyFile: '/etc/k.pem' };
    expect(await read('vault:///a?field=x', { vault: { address: ADDRESS, certificate } })).toBe('1');
    expect(got[0]?.body).toBe('{"name":"node"}');
    expect(await read('vault:///a?field=x', { vault: { address: ADDRESS, tokenFile: '/etc/token' } })).toBe(
      '1',
    );
    expect(got.at(-1)).toMatchObject({ method: 'GET', headers: { 'x-vault-token': 'from-file' } });
  });
});

describe('response wrapping', () => {
  const lookup = (path: string) => ({ data: { creation_path: path, creation_ttl: 300 } });

  it('looks first where the token was made, opens it once, and keeps what it held for another try', async () => {
    const { read, got, root } = await vault({
      'POST sys/wrapping/lookup': lookup('secret/data/db'),
      'POST sys/wrapping/unwrap': V2,
    });
    for (const _ of [1, 2])
      expect(await read('vault-wrapped:///secret/data/db?token=hvs.once-1&field=password', APP_ROLE)).toBe(
        'p@ss',
      );
    expect(got.map(({ url }) => url.slice(ADDRESS.length))).toEqual([
      '/v1/sys/wrapping/lookup',
      '/v1/sys/wrapping/unwrap',
    ]);
    expect(got[1]).toMatchObject({ headers: { 'x-vault-token': 'hvs.once-1' }, body: '' });
    const kept = readdirSync(join(root, 'var/lib/slipway'));
    expect(kept.join()).toMatch(/^unwrapped-[0-9a-f]{24}$/);
  });

  const EITHER = /was opened\. If so.*revoke it.* only expired/;

  it.each<[string, Given, Given, RegExp | undefined]>([
    ['was opened by somebody else', USED, {}, EITHER],
    ['is opened between look and opening', { body: lookup('secret/data/db') }, USED, EITHER],
    ['was created at an unexpected path', { body: lookup('cubbyhole/response') }, { body: V2 }, undefined],
  ])('raises the alarm where the token %s', async (_, looked, opened, remedy) => {
    const { read } = await vault({
      'POST sys/wrapping/lookup': () => looked,
      'POST sys/wrapping/unwrap': () => opened,
    });
    const failed = read(`vault-wrapped:///secret/data/db?token=hvs.${Math.random()}`, APP_ROLE);
    await expect(failed).rejects.toMatchObject({
      code: 'SecretOpenedElsewhere',
      remedy: remedy === undefined ? undefined : expect.stringMatching(remedy),
    });
    await expect(failed).rejects.not.toThrow(/hvs\./);
  });

  it('knows that it was itself that opened a token whose answer was cut off', async () => {
    const answers: Given[] = [{ body: V2, cut: true }, USED];
    const { read } = await vault({
      'POST sys/wrapping/lookup': lookup('a'),
      'POST sys/wrapping/unwrap': () => answers.shift() ?? USED,
    });
    const again = () => read('vault-wrapped:///a?token=hvs.cut-off', APP_ROLE);
    await expect(again()).rejects.toMatchObject({ code: 'SecretStoreUnreachable' });
    await expect(again()).rejects.toMatchObject({
      code: 'SecretOpenedElsewhere',
      message: expect.stringMatching(/the wrapping token was opened by an interrupted earlier run/),
      remedy: expect.stringMatching(/^Wrap a new one.* if it was not this machine/),
    });
  });

  it('takes a secret id that is wrapped, of the right role only', async () => {
    const settings = (token: string): SecretSettings => ({
      vault: {
        address: ADDRESS,
        appRole: { mount: 'approle', roleId: 'r', wrappedSecretId: sensitive(token) },
      },
    });
    let path = 'auth/approle/role/node/secret-id';
    const { read, got } = await vault({
      'POST sys/wrapping/lookup': () => ({ body: lookup(path) }),
      'POST sys/wrapping/unwrap': { data: { secret_id: 'unwrapped-id', secret_id_accessor: 'x' } },
      'POST auth/approle/login': LOGIN,
      'GET a': { data: { x: '1' } },
    });
    expect(await read('vault:///a?field=x', settings('hvs.sid-1'))).toBe('1');
    expect(got.find(({ url }) => url.endsWith('/login'))?.body).toBe(
      '{"role_id":"r","secret_id":"unwrapped-id"}',
    );
    path = 'auth/approleX/role/node/secret-id';
    await expect(read('vault:///a?field=x', settings('hvs.sid-2'))).rejects.toMatchObject({
      code: 'SecretOpenedElsewhere',
    });
  });
});
