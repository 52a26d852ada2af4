import { createECDH, createHash } from 'node:crypto';
import { at, textAt } from '../../../kit/json.ts';
import { HostError } from '../../host/host.ts';
import type { HttpResponse } from '../../host/network.ts';
import { SecretError } from '../../platform/credentials/secret-error.ts';
import type { StoreContext } from '../contract/store.ts';
import { throughProxy } from '../contract/store-client.ts';
import { type CompactJwe, decryptJwe, readCompactJwe } from './compact.ts';
import { CURVES, type Curve, jwkOf, type Point, pointOf } from './curve.ts';

const ONE_ANSWER_MS = 20_000;

/**
 * Opens a JWE that `clevis encrypt tang` made, with the help of its tang server. The server sees a blinded point and learns
 * nothing, and whoever listens neither: so TLS is not demanded, and no credential travels.
 *
 * @throws SecretError
 */
export async function openJwe(context: StoreContext, sealed: Buffer): Promise<Buffer> {
  const jwe = readCompactJwe(sealed.toString('latin1'));
  if (jwe === undefined) throw undecryptable('it is no compact JWE of ECDH-ES with A256GCM, or is cut off');
  const pin = textAt(jwe.header, 'clevis', 'pin');
  if (pin !== 'tang')
    throw undecryptable(
      `it opens by ${pin === undefined ? 'no pin of clevis' : 'another pin of clevis'} than tang`,
    );
  const { curve, ephemeral, server, kid, url } = exchangeOf(jwe);
  // The exchange of McCallum and Relyea. OpenSSL makes the blinding key, which takes @noble/curves much longer; it neither adds
  // points nor gives both coordinates of a product, so the rest is not for it.
  const blinding = createECDH(curve.name);
  const asked = ephemeral.add(curve.Point.fromBytes(blinding.generateKeys()));
  const answered = await recover(context, `${url.replace(/\/+$/, '')}/rec/${kid}`, curve, asked);
  const agreed = answered.subtract(server.multiply(BigInt(`0x${blinding.getPrivateKey('hex')}`)));
  // Whoever made both header and answer can bring it to infinity.
  const secret = agreed.is0() ? undefined : decryptJwe(jwe, Buffer.from(agreed.toBytes(true)).subarray(1));
  if (secret === undefined)
    throw undecryptable(`what the tang server at ${new URL(url).origin} recovers does not open it`);
  return secret;
}

interface Exchange {
  curve: Curve;
  /** The client's, in the header. */
  ephemeral: Point;
  /** The server's, of its advertisement at the time. */
  server: Point;
  kid: string;
  url: string;
}

function exchangeOf({ header }: CompactJwe): Exchange {
  const kid = textAt(header, 'kid') ?? '';
  const url = textAt(header, 'clevis', 'tang', 'url') ?? '';
  const keys = at(header, 'clevis', 'tang', 'adv', 'keys');
  const key = Array.isArray(keys) ? keys.find((one: unknown) => isCalled(one, kid)) : undefined;
  const curve = CURVES.find(({ crv }) => crv === textAt(key, 'crv'));
  const isWeb = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
  if (curve === undefined || !isWeb || !/^[A-Za-z0-9_-]{20,100}$/.test(kid))
    throw undecryptable('its header names no tang server, or a key that is not of its advertisement');
  const ephemeral = pointOf(curve, at(header, 'epk'));
  const server = pointOf(curve, key);
  if (ephemeral === undefined || server === undefined)
    throw undecryptable('a key in its header is no point of its curve');
  return { curve, ephemeral, server, kid, url };
}

/** By its thumbprint (RFC 7638), of SHA-256 or, of old servers, SHA-1. */
function isCalled(key: unknown, kid: string): boolean {
  const [crv, kty, x, y] = ['crv', 'kty', 'x', 'y'].map((name) => textAt(key, name));
  const text = JSON.stringify({ crv, kty, x, y });
  return ['sha256', 'sha1'].some((name) => createHash(name).update(text).digest('base64url') === kid);
}

/** POST /rec/KID: the server multiplies the point by its key. */
async function recover(
  { host, signal, spec }: StoreContext,
  url: string,
  curve: Curve,
  point: Point,
): Promise<Point> {
  const jwk = { alg: 'ECMR', key_ops: ['deriveKey'], ...jwkOf(curve, point) };
  const origin = `the tang server at ${new URL(url).origin}`;
  const client = host.network.client(throughProxy(spec));
  let answer: HttpResponse;
  try {
    answer = await client.send({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/jwk+json' },
      body: Buffer.from(JSON.stringify(jwk)),
      timeoutMs: ONE_ANSWER_MS,
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    throw new SecretError('SecretStoreUnreachable', `${origin} does not answer: ${error.message}`);
  } finally {
    client.close();
  }
  if (answer.status === 404)
    throw new SecretError(
      'SecretNotFound',
      `${origin} no longer has the key that this was encrypted for (status 404)`,
      'Encrypt it anew for a key that the server offers now, or let tang keep the keys that were rotated (their files begin with a dot).',
    );
  if (answer.status === 429 || answer.status >= 500)
    throw new SecretError('SecretStoreUnreachable', `${origin} answers with status ${answer.status}`);
  if (answer.status !== 200)
    throw new SecretError(
      'SecretDenied',
      `${origin} recovers nothing: it answers with status ${answer.status}`,
      'See that a tang server answers there, and not a proxy or another program; tang asks nobody for rights.',
    );
  const recovered = pointOf(curve, parsed(answer.body));
  if (recovered === undefined)
    throw new SecretError('SecretStoreUnreachable', `${origin} gives an answer that is cut off or no key`);
  return recovered;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function undecryptable(cause: string): SecretError {
  return new SecretError('SecretUndecryptable', cause);
}
