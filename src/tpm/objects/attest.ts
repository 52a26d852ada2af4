import { type KeyObject, verify } from 'node:crypto';
import { ALG, GENERATED, TAG } from '../wire/constants.ts';
import { MalformedError, WireReader } from '../wire/reader.ts';
import { decodeSelections, type PcrSelection } from './pcr-selection.ts';
import { FIELD_BYTES, padded } from './public-area.ts';

/** What a quote says: TPMS_ATTEST with TPMS_QUOTE_INFO (Part 2, 10.12). */
export interface Quoted {
  /** The qualified name of the key that signed: in which hierarchy it is. Who signed, its signature says. */
  readonly signer: Uint8Array;
  /** What the asker gave, at most 64 bytes. */
  readonly extraData: Uint8Array;
  /** Milliseconds that the TPM has run. */
  readonly clock: bigint;
  /** How often the TPM was started anew. */
  readonly resetCount: number;
  /** How often the machine came back from a sleep. */
  readonly restartCount: number;
  /** False after power was lost: the clock may have gone back. */
  readonly safe: boolean;
  readonly firmware: bigint;
  readonly selections: readonly PcrSelection[];
  /** SHA-256 over the selected registers. */
  readonly pcrDigest: Uint8Array;
}

/** @throws MalformedError if it is anything else than a whole quote that a TPM made */
export function decodeQuoted(bytes: Uint8Array): Quoted {
  const from = new WireReader(bytes, 'the quote');
  if (from.u32() !== GENERATED) throw new MalformedError('the quote was not made by a TPM');
  if (from.u16() !== TAG.quote) throw new MalformedError('what the TPM signed is not a quote');
  const signer = from.sized(68);
  const extraData = from.sized(64);
  const clock = from.u64();
  const resetCount = from.u32();
  const restartCount = from.u32();
  const safe = from.u8();
  if (safe > 1) throw new MalformedError('the quote has an invalid boolean');
  const firmware = from.u64();
  const selections = decodeSelections(from);
  const pcrDigest = from.sized(64);
  from.end();
  const counts = { clock, resetCount, restartCount, safe: safe === 1 };
  return { signer, extraData, ...counts, firmware, selections, pcrDigest };
}

/** TPMT_SIGNATURE (Part 2, 11.3.4) by ECDSA or RSASSA with SHA-256. */
type Signature = { type: 'ec'; r: Uint8Array; s: Uint8Array } | { type: 'rsa'; bytes: Uint8Array };

/** @throws MalformedError */
export function decodeSignature(bytes: Uint8Array): Signature {
  const from = new WireReader(bytes, 'the signature');
  const scheme = from.u16();
  if (from.u16() !== ALG.sha256) throw new MalformedError('the signature does not use SHA-256');
  const signature = decodeNumbers(scheme, from);
  from.end();
  return signature;
}

function decodeNumbers(scheme: number, from: WireReader): Signature {
  if (scheme === ALG.ecdsa) return { type: 'ec', r: from.sized(66), s: from.sized(66) };
  if (scheme === ALG.rsassa) return { type: 'rsa', bytes: from.sized(512) };
  throw new MalformedError(`the signature has the unknown scheme 0x${scheme.toString(16)}`);
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
