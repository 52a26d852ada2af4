import { createDecipheriv, createECDH, createHash } from 'node:crypto';
import { p256, p384, p521 } from '@noble/curves/nist.js';
import { at, textAt } from '../../../kit/json.ts';
import { HostError } from '../../host/host.ts';
import type { HttpResponse } from '../../host/network.ts';
import { SecretError } from '../../platform/credentials/secret-error.ts';
import type { StoreContext } from '../contract/store.ts';
import { throughProxy } from '../contract/store-client.ts';

const ONE_ANSWER_MS = 20_000;

/**
 * Opens a JWE that `clevis encrypt tang` made, with the help of its tang server. The server sees a blinded point and learns
 * nothing, and whoever listens neither: so TLS is not demanded, and no credential travels.
 *
 * @throws SecretError
 */
export async function openJwe(context: StoreContext, sealed: Buffer): Promise<Buffer> {
  const jwe = readCompactJwe(sealed.toString('latin1'));
  if (jwe === undefined)
    throw undecryptable('it is not a compact JWE with ECDH-ES and A256GCM, or is truncated');
  const pin = textAt(jwe.header, 'clevis', 'pin');
  if (pin !== 'tang')
    throw undecryptable(`it uses ${pin === undefined ? 'no clevis pin' : 'a clevis pin other than tang'}`);
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
    throw undecryptable(`the key recovered by the tang server at ${new URL(url).origin} does not open it`);
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
    throw undecryptable('its header names no tang server, or a key that is not in its advertisement');
  const ephemeral = pointOf(curve, at(header, 'epk'));
  const server = pointOf(curve, key);
  if (ephemeral === undefined || server === undefined)
    throw undecryptable('a key in its header is not a point on its curve');
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
      `${origin} no longer has the key for which this was encrypted (status 404)`,
      'Encrypt it again for a key that the server advertises now, or restore the rotated keys on the tang server (their file names begin with a dot).',
    );
  if (answer.status === 429 || answer.status >= 500)
    throw new SecretError('SecretStoreUnreachable', `${origin} returned status ${answer.status}`);
  if (answer.status !== 200)
    throw new SecretError(
      'SecretDenied',
      `${origin} recovered nothing: it returned status ${answer.status}`,
      'Check that a tang server answers at that address, not a proxy or another program; tang itself requires no permissions.',
    );
  const recovered = pointOf(curve, parsed(answer.body));
  if (recovered === undefined)
    throw new SecretError(
      'SecretStoreUnreachable',
      `${origin} returned an answer that is truncated or not a key`,
    );
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

/** A JWE in compact form (RFC 7516) whose content key comes of a key agreement (ECDH-ES). */
interface CompactJwe {
  header: unknown;
  /** The header as it stands, which the tag covers too. */
  protected: string;
  iv: Buffer;
  ciphertext: Buffer;
  tag: Buffer;
}

const PART = /^[A-Za-z0-9_-]*$/;

/** @returns undefined where it is none, or another kind of one */
function readCompactJwe(text: string): CompactJwe | undefined {
  const parts = text.trim().split('.');
  const [head = '', key = '', iv = '', ciphertext = '', tag = ''] = parts;
  if (parts.length !== 5 || key !== '' || !parts.every((part) => PART.test(part))) return undefined;
  const bytes = (part: string) => Buffer.from(part, 'base64url');
  try {
    const header: unknown = JSON.parse(bytes(head).toString('utf8'));
    if (textAt(header, 'alg') !== 'ECDH-ES' || textAt(header, 'enc') !== 'A256GCM') return undefined;
    if (at(header, 'zip') !== undefined || at(header, 'crit') !== undefined) return undefined;
    const jwe = { header, protected: head, iv: bytes(iv), ciphertext: bytes(ciphertext), tag: bytes(tag) };
    return jwe.iv.length === 12 && jwe.tag.length === 16 ? jwe : undefined;
  } catch {
    return undefined;
  }
}

/** @param shared the x of the point that both sides agree upon. @returns undefined if that is another one */
function decryptJwe(jwe: CompactJwe, shared: Buffer): Buffer | undefined {
  const decipher = createDecipheriv('aes-256-gcm', contentKey(jwe, shared), jwe.iv, { authTagLength: 16 });
  decipher.setAAD(Buffer.from(jwe.protected, 'latin1')).setAuthTag(jwe.tag);
  try {
    return Buffer.concat([decipher.update(jwe.ciphertext), decipher.final()]);
  } catch {
    return undefined;
  }
}

/** Concat KDF of RFC 7518, 4.6.2, for a key of 256 bits: one round. */
function contentKey({ header }: CompactJwe, shared: Buffer): Buffer {
  const sized = (bytes: Buffer): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  };
  const party = (name: string) => sized(Buffer.from(textAt(header, name) ?? '', 'base64url'));
  return createHash('sha256')
    .update(Buffer.of(0, 0, 0, 1))
    .update(shared)
    .update(sized(Buffer.from('A256GCM')))
    .update(party('apu'))
    .update(party('apv'))
    .update(Buffer.of(0, 0, 1, 0))
    .digest();
}

export interface Curve {
  /** Its name in a JWK. */
  crv: string;
  /** Its name in OpenSSL. */
  name: string;
  Point: typeof p256.Point;
}

export type Point = InstanceType<Curve['Point']>;

/** The curves that tang makes keys of. */
export const CURVES: readonly Curve[] = [
  { crv: 'P-521', name: 'secp521r1', Point: p521.Point },
  { crv: 'P-384', name: 'secp384r1', Point: p384.Point },
  { crv: 'P-256', name: 'prime256v1', Point: p256.Point },
];

/** @returns undefined where the JWK has no point of this curve */
export function pointOf({ crv, Point }: Curve, jwk: unknown): Point | undefined {
  const [x, y] = ['x', 'y'].map((name) => Buffer.from(textAt(jwk, name) ?? '', 'base64url')) as [
    Buffer,
    Buffer,
  ];
  const { BYTES } = Point.Fp;
  if (textAt(jwk, 'crv') !== crv || x.length !== BYTES || y.length !== BYTES) return undefined;
  try {
    return Point.fromBytes(Buffer.concat([Buffer.of(4), x, y]));
  } catch {
    // It does not lie on the curve.
    return undefined;
  }
}

/** @param point not the one at infinity, which has no coordinates */
export function jwkOf({ crv }: Curve, point: Point): { crv: string; kty: 'EC'; x: string; y: string } {
  const both = Buffer.from(point.toBytes(false)).subarray(1);
  const [x, y] = [both.subarray(0, both.length / 2), both.subarray(both.length / 2)];
  return { crv, kty: 'EC', x: x.toString('base64url'), y: y.toString('base64url') };
}
