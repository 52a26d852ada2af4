import { createCipheriv, createECDH, createHash, randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { sensitive } from '../../../kit/secrets/sensitive.ts';
import { type Given, type World, world } from '../fixtures/world.ts';
import { SecretStores } from '../open-stores.ts';
import { bothPoints, CURVES, type Curve, coordinate, type Point, pointOf, sum } from './curve.ts';

const TANG = 'http://tang.example';

let made: World | undefined;
afterEach(async () => {
  await made?.close();
  made = undefined;
});

function pair(curve: Curve) {
  const key = createECDH(curve.name);
  const whole = key.generateKeys();
  const [x, y] = [whole.subarray(1, 1 + curve.bytes), whole.subarray(1 + curve.bytes)];
  const jwk = { crv: curve.crv, kty: 'EC', x: x.toString('base64url'), y: y.toString('base64url') };
  return { key, jwk, point: pointOf(curve, x, y) as Point };
}

/** What a tang server does: the point times its key. Of OpenSSL's x the sign is found by the key that is greater by one. */
function times(curve: Curve, private_: Buffer, point: Point): Point {
  const whole = Buffer.concat([Buffer.of(4), coordinate(point.x, curve), coordinate(point.y, curve)]);
  const by = (scalar: Buffer) => {
    const key = createECDH(curve.name);
    key.setPrivateKey(scalar);
    return key.computeSecret(whole);
  };
  const greater = coordinate(BigInt(`0x${private_.toString('hex')}`) + 1n, curve);
  const next = BigInt(`0x${by(greater).toString('hex')}`);
  return bothPoints(curve, by(private_)).find((one) => sum(curve, one, point)?.x === next) as Point;
}

/** As `clevis encrypt tang` makes it. */
function encrypted(
  curve: Curve,
  server: ReturnType<typeof pair>,
  text: string,
  change: Record<string, unknown> = {},
) {
  const { crv, kty, x, y } = server.jwk;
  const kid = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
  const own = pair(curve);
  const adv = {
    keys: [
      { alg: 'ES512', crv: 'P-521', kty: 'EC', x: 'AA', y: 'AA' },
      { alg: 'ECMR', key_ops: ['deriveKey'], ...server.jwk },
    ],
  };
  const header = {
    alg: 'ECDH-ES',
    enc: 'A256GCM',
    kid,
    epk: own.jwk,
    clevis: { pin: 'tang', tang: { url: `${TANG}/`, adv } },
    ...change,
  };
  const head = Buffer.from(JSON.stringify(header)).toString('base64url');
  const shared = own.key.computeSecret(
    Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]),
  );
  const name = Buffer.from('A256GCM');
  const info = Buffer.concat([
    Buffer.of(0, 0, 0, 1),
    shared,
    Buffer.of(0, 0, 0, name.length),
    name,
    Buffer.alloc(8),
    Buffer.of(0, 0, 1, 0),
  ]);
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', createHash('sha256').update(info).digest(), iv);
  cipher.setAAD(Buffer.from(head));
  const body = Buffer.concat([cipher.update(text), cipher.final()]);
  return [head, '', ...[iv, body, cipher.getAuthTag()].map((part) => part.toString('base64url'))].join('.');
}

async function tang(curve: Curve, server: ReturnType<typeof pair>, given?: Given): Promise<World> {
  made = await world(({ body }) => {
    if (given) return given;
    const { x, y } = JSON.parse(body) as { x: string; y: string };
    const point = pointOf(curve, Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')) as Point;
    const answer = times(curve, server.key.getPrivateKey(), point);
    const [ax, ay] = [answer.x, answer.y].map((one) => coordinate(one, curve).toString('base64url'));
    return { body: { alg: 'ECMR', crv: curve.crv, key_ops: ['deriveKey'], kty: 'EC', x: ax, y: ay } };
  });
  return made;
}

const P521 = CURVES[0] as Curve;

describe('a JWE of clevis and tang', () => {
  it.each(CURVES)('opens with the help of the server, which never sees its point: $crv', async (curve) => {
    const server = pair(curve);
    const jwe = encrypted(curve, server, 'the secret');
    const { read, got } = await tang(curve, server);
    // Of two signs one is right, so more than one try each.
    for (let tries = 0; tries < 4; tries += 1) expect(await read(`jwe+data:,${jwe}`)).toBe('the secret');
    const { epk } = JSON.parse(Buffer.from(jwe.split('.')[0] ?? '', 'base64url').toString()) as {
      epk: { x: string };
    };
    expect(new Set(got.map(({ body }) => body)).size).toBe(4);
    for (const { method, url, headers, body } of got) {
      expect(`${method} ${url}`).toMatch(/^POST http:\/\/tang\.example\/rec\/[\w-]{43}$/);
      expect(headers['content-type']).toBe('application/jwk+json');
      expect(body).not.toContain(epk.x);
    }
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
    ['the point of another key', { body: pair(P521).jwk }, 'SecretUndecryptable'],
  ])('says what %s means', async (_, given, code) => {
    const server = pair(P521);
    const { read } = await tang(P521, server, given);
    await expect(read(`jwe+data:,${encrypted(P521, server, 'x')}`)).rejects.toMatchObject({ code });
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
    const url = sensitive(`jwe+data:,${encrypted(P521, server, 'the secret')}`);
    expect((await stores.read({ url, isCompressed: false })).toString()).toBe('the secret');
    expect(ways).toEqual([{ http: 'http://proxy.example:3128', except: 'a,b' }]);
    await stores.close();
  });

  it('refuses what was changed, cut off or made for something else', async () => {
    const server = pair(P521);
    const jwe = encrypted(P521, server, 'x');
    const { read, got } = await tang(P521, server);
    const [head = '', ...rest] = jwe.split('.');
    const wrong = [
      jwe.slice(0, -4),
      [head, ...rest.slice(0, 3)].join('.'),
      [head, '', rest[1], `${rest[2]}AAAA`, rest[3]].join('.'),
      encrypted(P521, server, 'x', { alg: 'RSA-OAEP' }),
      encrypted(P521, server, 'x', { zip: 'DEF' }),
      encrypted(P521, server, 'x', { clevis: { pin: 'tpm2' } }),
      encrypted(P521, server, 'x', { kid: 'A'.repeat(43) }),
      encrypted(P521, server, 'x', { epk: { crv: 'P-521', x: 'AA', y: 'AA' } }),
      'no jwe',
    ];
    for (const one of wrong)
      await expect(read(`jwe+data:,${one}`), one).rejects.toMatchObject({ code: 'SecretUndecryptable' });
    expect(got.length).toBeLessThanOrEqual(1);
  });

  it.each(CURVES)('adds points as OpenSSL does: $crv', (curve) => {
    // Less than half of every curve's order, so that the sum needs no remainder.
    const scalars = [randomBytes(24), randomBytes(24)].map((bytes) => BigInt(`0x${bytes.toString('hex')}`));
    const points = [...scalars, (scalars[0] ?? 0n) + (scalars[1] ?? 0n)].map((scalar) => {
      const key = createECDH(curve.name);
      key.setPrivateKey(coordinate(scalar, curve));
      const whole = key.getPublicKey().subarray(1);
      return pointOf(curve, whole.subarray(0, curve.bytes), whole.subarray(curve.bytes)) as Point;
    });
    const [a, b, both] = points as [Point, Point, Point];
    expect(sum(curve, a, b)).toEqual(both);
    expect(sum(curve, a, a)).toBeUndefined();
  });
});
