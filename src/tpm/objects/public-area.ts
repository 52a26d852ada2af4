import { createHash, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { ALG, CURVE } from '../wire/constants.ts';
import { MalformedError, WireReader } from '../wire/reader.ts';
import { bytesOf, sized, u16, u32 } from '../wire/writer.ts';

/** TPMT_PUBLIC (Part 2, 12.2.4) of the keys and sealed objects that Slipway makes or meets: all named by SHA-256. */
export type PublicArea = RsaArea | EcArea | SealedArea;

interface Common {
  /** TPMA_OBJECT. */
  readonly attributes: number;
  /** Digest of the policy that authorises its use; empty: none. */
  readonly policy: Uint8Array;
}

export interface RsaArea extends Common {
  readonly type: 'rsa';
  /** A storage key encrypts its children by AES-128-CFB; a signing key has none. */
  readonly storage: boolean;
  readonly bits: number;
  readonly modulus: Uint8Array;
}

export interface EcArea extends Common {
  readonly type: 'ec';
  readonly storage: boolean;
  readonly curve: 'P-256' | 'P-384';
  readonly x: Uint8Array;
  readonly y: Uint8Array;
}

export interface SealedArea extends Common {
  readonly type: 'sealed';
  readonly unique: Uint8Array;
}

const CURVES = { 'P-256': CURVE.p256, 'P-384': CURVE.p384 } as const;
/** Bytes of a coordinate. */
export const FIELD_BYTES = { 'P-256': 32, 'P-384': 48 } as const;
const MAX_RSA_BYTES = 512;
const EXPONENT = 65_537;

export function encodePublic(area: PublicArea): Buffer {
  const head = [u16(TYPES[area.type]), u16(ALG.sha256), u32(area.attributes), sized(area.policy)];
  const aes = bytesOf(u16(ALG.aes), u16(128), u16(ALG.cfb));
  switch (area.type) {
    case 'rsa': {
      const use = area.storage ? [aes, u16(ALG.null)] : [u16(ALG.null), u16(ALG.rsassa), u16(ALG.sha256)];
      // The exponent 0 stands for 65537.
      return bytesOf(...head, ...use, u16(area.bits), u32(0), sized(area.modulus));
    }
    case 'ec': {
      const use = area.storage ? [aes, u16(ALG.null)] : [u16(ALG.null), u16(ALG.ecdsa), u16(ALG.sha256)];
      return bytesOf(...head, ...use, u16(CURVES[area.curve]), u16(ALG.null), sized(area.x), sized(area.y));
    }
    case 'sealed':
      return bytesOf(...head, u16(ALG.null), sized(area.unique));
  }
}

const TYPES = { rsa: ALG.rsa, ec: ALG.ecc, sealed: ALG.keyedHash } as const;

/**
 * Reads a whole TPMT_PUBLIC. What it does not know (other hashes, schemes, ciphers) it refuses: nobody could say what such
 * a key proves.
 *
 * @throws MalformedError
 */
export function decodePublic(bytes: Uint8Array): PublicArea {
  const from = new WireReader(bytes, 'the public area');
  const type = from.u16();
  expect(from.u16(), ALG.sha256, 'does not use SHA-256 for its name');
  const common = { attributes: from.u32(), policy: from.sized(64) };
  const area = decodeRest(type, common, from);
  from.end();
  return area;
}

function decodeRest(type: number, common: Common, from: WireReader): PublicArea {
  if (type === ALG.keyedHash) {
    expect(from.u16(), ALG.null, 'has a scheme');
    return { type: 'sealed', ...common, unique: from.sized(64) };
  }
  if (type === ALG.rsa) {
    const storage = decodeUse(from, ALG.rsassa);
    const bits = from.u16();
    const exponent = from.u32();
    if (exponent !== 0 && exponent !== EXPONENT)
      throw new MalformedError('the key has an unexpected exponent');
    return { type: 'rsa', ...common, storage, bits, modulus: from.sized(MAX_RSA_BYTES) };
  }
  if (type === ALG.ecc) {
    const storage = decodeUse(from, ALG.ecdsa);
    const curve = curveOf(from.u16());
    expect(from.u16(), ALG.null, 'derives keys');
    return { type: 'ec', ...common, storage, curve, x: from.sized(66), y: from.sized(66) };
  }
  throw new MalformedError(`the public area has the unknown type 0x${type.toString(16)}`);
}

/** @returns true for a storage key, false for one that signs by `scheme` with SHA-256 */
function decodeUse(from: WireReader, scheme: number): boolean {
  if (from.u16() === ALG.null) {
    expect(from.u16(), scheme, 'signs with another scheme');
    expect(from.u16(), ALG.sha256, 'signs a hash other than SHA-256');
    return false;
  }
  expect(from.u16(), 128, 'does not use AES-128');
  expect(from.u16(), ALG.cfb, 'does not use AES-128-CFB');
  expect(from.u16(), ALG.null, 'has a scheme in addition to its cipher');
  return true;
}

function curveOf(id: number): EcArea['curve'] {
  const found = (['P-256', 'P-384'] as const).find((name) => CURVES[name] === id);
  if (!found) throw new MalformedError(`the key is on the unknown curve 0x${id.toString(16)}`);
  return found;
}

function expect(value: number, wanted: number, words: string): void {
  if (value !== wanted) throw new MalformedError(`the key ${words}`);
}

/**
 * The object's Name (Part 1, 16): whoever checks a proof computes it from the public area, and never takes one as given.
 */
export function nameOf(area: PublicArea): Buffer {
  return bytesOf(u16(ALG.sha256), createHash('sha256').update(encodePublic(area)).digest());
}

/**
 * What a TPM calls a primary key of a hierarchy in what that key signs (Part 1, 16.3): with the same template and seed each hierarchy
 * has another one.
 *
 * @param hierarchy its handle
 */
export function qualifiedNameOf(area: PublicArea, hierarchy: number): Buffer {
  const name = bytesOf(u32(hierarchy), nameOf(area));
  return bytesOf(u16(ALG.sha256), createHash('sha256').update(name).digest());
}

/** @throws MalformedError if the numbers make no key, such as a point that is not on its curve */
export function keyOf(area: RsaArea | EcArea): KeyObject {
  try {
    return createPublicKey({ key: jwkOf(area), format: 'jwk' });
  } catch (error) {
    if (error instanceof MalformedError) throw error;
    throw new MalformedError('the numbers of a public key are not a valid key');
  }
}

function jwkOf(area: RsaArea | EcArea): JsonWebKey {
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
  if (area.type === 'rsa') {
    if (area.bits < 2048 || area.modulus.length * 8 !== area.bits || (area.modulus[0] ?? 0) < 0x80)
      throw new MalformedError('the modulus is not as long as the key');
    return { kty: 'RSA', n: text(area.modulus), e: 'AQAB' };
  }
  const length = FIELD_BYTES[area.curve];
  const [x, y] = [text(padded(area.x, length)), text(padded(area.y, length))];
  return { kty: 'EC', crv: area.curve, x, y };
}

/** A number with zeros before it: TPMs leave them out. @throws MalformedError if it is longer */
export function padded(number: Uint8Array, length: number): Buffer {
  if (number.length > length) throw new MalformedError('a number is longer than its field');
  return Buffer.concat([Buffer.alloc(length - number.length), number]);
}
