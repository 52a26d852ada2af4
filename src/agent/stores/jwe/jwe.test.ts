import { createECDH, createHash, randomBytes } from 'node:crypto';
import { CompactEncrypt, importJWK } from 'jose';
import { afterEach, describe, expect, it } from 'vitest';
import { sensitive } from '../../../secrets/sensitive.ts';
import { type Given, type World, world } from '../fixtures/world.ts';
import { SecretStores } from '../open-stores.ts';
import { CURVES, type Curve, jwkOf, type Point, pointOf } from './jwe.ts';

const TANG = 'http://tang.example';

let made: World | undefined;
afterEach(async () => {
  await made?.close();
  made = undefined;
});

interface KeyPair {
  scalar: bigint;
  jwk: ReturnType<typeof jwkOf>;
}

/** Made by OpenSSL, of this scalar or a random one. */
function pair(curve: Curve, scalar?: bigint): KeyPair {
  const key = createECDH(curve.name);
  if (scalar === undefined) key.generateKeys();
  else key.setPrivateKey(scalar.toString(16).padStart(2 * curve.Point.Fp.BYTES, '0'), 'hex');
  const jwk = jwkOf(curve, curve.Point.fromBytes(key.getPublicKey()));
  return { scalar: BigInt(`0x${key.getPrivateKey('hex')}`), jwk };
}

/** Its thumbprint (RFC 7638). */
function nameOf({ crv, kty, x, y }: KeyPair['jwk'], hash = 'sha256'): string {
  return createHash(hash).update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
}

/** Encrypted by jose, with the header that `clevis encrypt tang` gives. */
async function encrypted(
  { jwk }: KeyPair,
  text: string,
  { kid = nameOf(jwk), ...parties }: { kid?: string; apu?: Uint8Array; apv?: Uint8Array } = {},
): Promise<string> {
  const adv = {
    keys: [
      { alg: 'ES512', crv: 'P-521', kty: 'EC', x: 'AA', y: 'AA' },
      { alg: 'ECMR', key_ops: ['deriveKey'], ...jwk },
    ],
  };
  const clevis = { pin: 'tang', tang: { url: `${TANG}/`, adv } };
  return new CompactEncrypt(Buffer.from(text))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', kid, clevis })
    .setKeyManagementParameters(parties)
    .encrypt(await importJWK(jwk, 'ECDH-ES'));
}

function headerOf(jwe: string): { epk: KeyPair['jwk'] } {
  return JSON.parse(Buffer.from(jwe.split('.')[0] ?? '', 'base64url').toString());
}

function withHeader(jwe: string, change: Record<string, unknown>): string {
  const header = JSON.stringify({ ...headerOf(jwe), ...change });
  return [Buffer.from(header).toString('base64url'), ...jwe.split('.').slice(1)].join('.');
}

/** A server that answers to a point with what `recover` makes of it; by default with the product with its key. */
async function tang(
  curve: Curve,
  { scalar }: KeyPair,
  given?: Given,
  recover = (point: Point) => point.multiply(scalar),
): Promise<World> {
  made = await world(({ body }) => {
    if (given) return given;
    const answer = recover(pointOf(curve, JSON.parse(body)) as Point);
    return { body: { alg: 'ECMR', key_ops: ['deriveKey'], ...jwkOf(curve, answer) } };
  });
  return made;
}

const P521 = CURVES[0] as Curve;

describe('a JWE of clevis and tang', () => {
  it.each(CURVES)('opens with the help of the server, which never sees its point: $crv', async (curve) => {
    const server = pair(curve);
    const jwe = await encrypted(server, 'the secret');
    const { read, got } = await tang(curve, server);
    for (let tries = 0; tries < 4; tries += 1) expect(await read(`jwe+data:,${jwe}`)).toBe('the secret');
    // Each try is blinded anew.
    expect(new Set(got.map(({ body }) => body)).size).toBe(4);
    for (const { method, url, headers, body } of got) {
      expect(`${method} ${url}`).toMatch(/^POST http:\/\/tang\.example\/rec\/[\w-]{43}$/);
      expect(headers['content-type']).toBe('application/jwk+json');
      expect(body).not.toContain(headerOf(jwe).epk.x);
    }
  });

  it('opens where its header names the parties, and the key by SHA-1 as old clevis does', async () => {
    const server = pair(P521);
    const { read, got } = await tang(P521, server);
    const kid = nameOf(server.jwk, 'sha1');
    const [apu, apv] = [Buffer.from('Alice'), Buffer.from('Bob')];
    const jwe = await encrypted(server, 'the secret', { kid, apu, apv });
    expect(await read(`jwe+data:,${jwe}`)).toBe('the secret');
    expect(got.map(({ url }) => url)).toEqual([`${TANG}/rec/${kid}`]);
  });

  it.each<[string, Given, string]>([
    ['404: the key was removed', { status: 404 }, 'SecretNotFound'],
    ['403', { status: 403 }, 'SecretDenied'],
    ['429', { status: 429 }, 'SecretStoreUnreachable'],
    ['5xx', { status: 500 }, 'SecretStoreUnreachable'],
    ['a cut answer', { body: { crv: 'P-521', x: 'AA', y: 'AA' }, cut: true }, 'SecretStoreUnreachable'],
    ['half of the JSON', { body: '{"crv": "P-5' }, 'SecretStoreUnreachable'],
    [
      'a point that is not on the curve',
      { body: { crv: 'P-521', x: 'A'.repeat(88), y: 'A'.repeat(88) } },
      'SecretStoreUnreachable',
    ],
    [
      'coordinates of other lengths',
      { body: { crv: 'P-521', x: 'A'.repeat(87), y: 'A'.repeat(90) } },
      'SecretStoreUnreachable',
    ],
    ['a point of another curve', { body: pair(CURVES[2] as Curve).jwk }, 'SecretStoreUnreachable'],
    ['the point of another key', { body: pair(P521).jwk }, 'SecretUndecryptable'],
  ])('says what %s means', async (_, given, code) => {
    const server = pair(P521);
    const { read } = await tang(P521, server, given);
    await expect(read(`jwe+data:,${await encrypted(server, 'x')}`)).rejects.toMatchObject({ code });
  });

  it.each(CURVES)('refuses an answer that brings the agreement to infinity: $crv', async (curve) => {
    // Both are of somebody who knows the scalars of the header's keys, and so what blinds the point.
    const [server, ephemeral] = [pair(curve), pair(curve)];
    const jwe = withHeader(await encrypted(server, 'x'), { epk: ephemeral.jwk });
    const own = pointOf(curve, ephemeral.jwk) as Point;
    const { read, got } = await tang(curve, server, undefined, (point) =>
      point.subtract(own).multiply(server.scalar),
    );
    await expect(read(`jwe+data:,${jwe}`)).rejects.toMatchObject({
      code: 'SecretUndecryptable',
      message: expect.stringContaining(
        'the key recovered by the tang server at http://tang.example does not open it',
      ),
    });
    expect(got).toHaveLength(1);
  });

  it('asks the server through the proxy that the document names', async () => {
    const server = pair(P521);
    const { host } = await tang(P521, server);
    const ways: unknown[] = [];
    const network = {
      ...host.network,
      client: (...[options]: Parameters<typeof host.network.client>) => {
        ways.push(options?.proxy);
        return host.network.client(options);
      },
    };
    const spec = {
      settings: {},
      proxy: { http: sensitive('http://proxy.example:3128'), except: ['a', 'b'] },
    };
    const stores = new SecretStores({ host: { ...host, network }, spec });
    const url = sensitive(`jwe+data:,${await encrypted(server, 'the secret')}`);
    expect((await stores.read({ url, isCompressed: false })).toString()).toBe('the secret');
    expect(ways).toEqual([{ http: 'http://proxy.example:3128', except: 'a,b' }]);
    await stores.close();
  });

  it('refuses what was changed, cut off or made for something else', async () => {
    const server = pair(P521);
    const jwe = await encrypted(server, 'x');
    const { read, got } = await tang(P521, server);
    const [head = '', ...rest] = jwe.split('.');
    const wrong = [
      jwe.slice(0, -4),
      [head, ...rest.slice(0, 3)].join('.'),
      [head, '', rest[1], `${rest[2]}AAAA`, rest[3]].join('.'),
      withHeader(jwe, { alg: 'RSA-OAEP' }),
      withHeader(jwe, { enc: 'A128GCM' }),
      withHeader(jwe, { zip: 'DEF' }),
      withHeader(jwe, { crit: ['x'] }),
      withHeader(jwe, { clevis: { pin: 'tpm2' } }),
      withHeader(jwe, { kid: 'A'.repeat(43) }),
      withHeader(jwe, { epk: { crv: 'P-521', x: 'AA', y: 'AA' } }),
      withHeader(jwe, { epk: { crv: 'P-521', x: 'A'.repeat(88), y: 'A'.repeat(88) } }),
      'no jwe',
    ];
    for (const one of wrong)
      await expect(read(`jwe+data:,${one}`), one).rejects.toMatchObject({ code: 'SecretUndecryptable' });
    expect(got.length).toBeLessThanOrEqual(1);
  });

  it.each(CURVES)('adds and multiplies points as OpenSSL does: $crv', (curve) => {
    const pointFor = (scalar: bigint) => pointOf(curve, pair(curve, scalar).jwk) as Point;
    for (let round = 0; round < 8; round += 1) {
      // Less than half of every curve's order, so that the sum needs no remainder.
      const [a, b] = [randomBytes(24), randomBytes(24)].map((bytes) => BigInt(`0x${bytes.toString('hex')}`));
      if (a === undefined || b === undefined) throw new Error('randomBytes gives too little');
      expect(
        pointFor(a)
          .add(pointFor(b))
          .equals(pointFor(a + b)),
      ).toBe(true);
      const ours = createECDH(curve.name);
      ours.generateKeys();
      const shared = ours.computeSecret(pointFor(a).toBytes(false)).toString('hex');
      const product = pointFor(a).multiply(BigInt(`0x${ours.getPrivateKey('hex')}`));
      expect(Buffer.from(product.toBytes(true)).subarray(1).toString('hex')).toBe(shared);
    }
  });
});
