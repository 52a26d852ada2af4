import { type KeyObject, verify } from 'node:crypto';
import { ALG } from '../wire/constants.ts';
import { MalformedError, WireReader } from '../wire/reader.ts';
import { FIELD_BYTES, padded } from './public-area.ts';

/** TPMT_SIGNATURE (Part 2, 11.3.4) by ECDSA or RSASSA with SHA-256. */
type Signature = { type: 'ec'; r: Uint8Array; s: Uint8Array } | { type: 'rsa'; bytes: Uint8Array };

/** @throws MalformedError */
export function decodeSignature(bytes: Uint8Array): Signature {
  const from = new WireReader(bytes, 'the signature');
  const scheme = from.u16();
  if (from.u16() !== ALG.sha256) throw new MalformedError('the signature is not over SHA-256');
  const signature = decodeNumbers(scheme, from);
  from.end();
  return signature;
}

function decodeNumbers(scheme: number, from: WireReader): Signature {
  if (scheme === ALG.ecdsa) return { type: 'ec', r: from.sized(66), s: from.sized(66) };
  if (scheme === ALG.rsassa) return { type: 'rsa', bytes: from.sized(512) };
  throw new MalformedError(`the signature is by the unknown scheme 0x${scheme.toString(16)}`);
}

/** @throws MalformedError if the numbers are longer than the key's */
export function isSignedBy(key: KeyObject, data: Uint8Array, signature: Signature): boolean {
  if (signature.type === 'rsa')
    return key.asymmetricKeyType === 'rsa' && verify('sha256', data, key, signature.bytes);
  if (key.asymmetricKeyType !== 'ec') return false;
  const length = FIELD_BYTES[key.asymmetricKeyDetails?.namedCurve === 'secp384r1' ? 'P-384' : 'P-256'];
  // TPMs leave out leading zeros, and node:crypto wants both numbers at full length.
  const numbers = Buffer.concat([padded(signature.r, length), padded(signature.s, length)]);
  return verify('sha256', data, { key, dsaEncoding: 'ieee-p1363' }, numbers);
}
