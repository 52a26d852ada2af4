import { timingSafeEqual } from 'node:crypto';
import { ExpectedError } from '../../kit/errors.ts';
import { decodeQuoted, decodeSignature, isSignedBy, type Quoted } from '../objects/attest.ts';
import { digestOf, type PcrSelection, type PcrValues } from '../objects/pcr-selection.ts';
import { type EcArea, keyOf, type PublicArea, type RsaArea } from '../objects/public-area.ts';
import { AK_ATTRIBUTES } from '../objects/templates.ts';
import { ATTRIBUTE } from '../wire/constants.ts';

/** The evidence proves nothing; the message says in what it fails. */
export class ProofError extends ExpectedError {
  override readonly name = 'ProofError';
}

/**
 * Whether a key can only sign what a TPM itself says: made in the TPM, never to leave it, restricted, and nothing else
 * (threat model 8).
 *
 * @throws ProofError
 */
export function checkAttestationKey(area: PublicArea): asserts area is RsaArea | EcArea {
  if (area.type === 'sealed') throw new ProofError('the attestation key is not a key');
  if ((area.attributes | ATTRIBUTE.noDa) !== (AK_ATTRIBUTES | ATTRIBUTE.noDa) || area.storage)
    throw new ProofError('the attestation key is not restricted to signing statements of its TPM');
  if (area.type === 'rsa' && area.bits < 2048) throw new ProofError('the attestation key is too short');
}

export interface QuoteEvidence {
  readonly ak: PublicArea;
  /** TPMS_ATTEST. */
  readonly quoted: Uint8Array;
  /** TPMT_SIGNATURE. */
  readonly signature: Uint8Array;
  readonly values: PcrValues;
}

/**
 * Checks a quote in whole (peers.md 2.18; TCG Trusted Attestation Protocol): the key, the signature, the nonce, and that the
 * values are those that the TPM has signed, of exactly these registers.
 *
 * @param extraData what this side asked for: at least 32 bytes that were never used before
 * @throws ProofError, MalformedError
 */
export function verifyQuote(
  { ak, quoted, signature, values }: QuoteEvidence,
  extraData: Uint8Array,
  selection: PcrSelection,
): Quoted {
  if (selection.pcrs.length === 0) throw new ProofError('a quote without PCRs proves no boot state');
  checkAttestationKey(ak);
  if (!isSignedBy(keyOf(ak), quoted, decodeSignature(signature)))
    throw new ProofError('the quote is not signed by the attestation key');
  const said = decodeQuoted(quoted);
  if (!same(said.extraData, extraData)) throw new ProofError('the quote was made for another challenge');
  const [only, ...more] = said.selections;
  if (!only || more.length > 0 || only.bank !== selection.bank || only.pcrs.join() !== selection.pcrs.join())
    throw new ProofError('the quote does not cover the requested PCRs');
  if (values.size !== selection.pcrs.length || !same(said.pcrDigest, digestOf(selection, values)))
    throw new ProofError('the values are not the ones that the TPM signed');
  return said;
}

function same(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
