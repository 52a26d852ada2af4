import {
  createDecipheriv,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto';
import type { ChallengeReply, TpmProof } from '../../../src/protocol/attestation.ts';
import { kdfa, kdfe } from '../../../src/tpm/crypto/key-derivation.ts';
import { challengeDigest } from '../../../src/tpm/evidence/challenge-digest.ts';
import { endorsementKeyId } from '../../../src/tpm/evidence/endorsement.ts';
import { digestOf, encodeSelection } from '../../../src/tpm/objects/pcr-selection.ts';
import { type EcArea, encodePublic, nameOf, qualifiedNameOf } from '../../../src/tpm/objects/public-area.ts';
import { AK, areaOfEndorsementKey } from '../../../src/tpm/objects/templates.ts';
import { ALG, GENERATED, HANDLE, TAG } from '../../../src/tpm/wire/constants.ts';
import { WireReader } from '../../../src/tpm/wire/reader.ts';
import { bytesOf, sized, u8, u16, u32 } from '../../../src/tpm/wire/writer.ts';

const NONE = Buffer.alloc(0);
const HMAC_BYTES = 32;
const ZERO = Buffer.alloc(32);

/**
 * Answers the controller's challenges byte for byte as a TPM would, with keys of its own that a TPM would not give away: for
 * thousands of machines at once, where only the controller's side is looked at.
 */
export class SimulatedTpm {
  readonly #ek = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  readonly #ak = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  readonly #ekArea = areaOfEndorsementKey(createPublicKey(this.#ek)) as EcArea;
  readonly #akArea: EcArea = { ...AK, ...pointOf(this.#ak) };
  readonly #hierarchy: number;

  /** @param hierarchy of its attestation key */
  constructor(hierarchy: number = HANDLE.endorsement) {
    this.#hierarchy = hierarchy;
  }

  /** `sha256:...`. */
  get id(): string {
    return endorsementKeyId(createPublicKey(this.#ek));
  }

  get endorsementKey(): Uint8Array {
    return encodePublic(this.#ekArea);
  }

  get attestationKey(): Uint8Array {
    return encodePublic(this.#akArea);
  }

  /** All registers are zero. @param csrDigest SHA-256 of the request @param channel exported from the connection */
  prove(
    { id, credential, nonce, pcrs }: ChallengeReply,
    csrDigest: Uint8Array,
    channel: Uint8Array,
  ): TpmProof {
    const selection = { bank: ALG.sha256, pcrs };
    const digest = digestOf(selection, new Map(pcrs.map((pcr) => [pcr, ZERO])));
    const quoted = bytesOf(
      ...[u32(GENERATED), u16(TAG.quote), sized(qualifiedNameOf(this.#akArea, this.#hierarchy))],
      sized(challengeDigest({ nonce, csrDigest, channel })),
      // Clock, resets, restarts, safe, firmware.
      ...[u32(0), u32(1), u32(1), u32(0), u8(1), u32(0), u32(1)],
      ...[encodeSelection(selection), sized(digest)],
    );
    const numbers = sign('sha256', quoted, { key: this.#ak, dsaEncoding: 'ieee-p1363' });
    const signature = bytesOf(
      ...[u16(ALG.ecdsa), u16(ALG.sha256)],
      ...[sized(numbers.subarray(0, 32)), sized(numbers.subarray(32))],
    );
    return { challenge: id, opened: this.#open(credential), quoted, signature, values: pcrs.map(() => ZERO) };
  }

  /** TPM2_ActivateCredential (Part 1, 24). */
  #open({ blob, secret }: ChallengeReply['credential']): Buffer {
    const from = new WireReader(secret, 'the secret');
    const [x, y] = [from.sized(32), from.sized(32)];
    const jwk = { kty: 'EC', crv: 'P-256', x: text(x), y: text(y) };
    const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
    const shared = diffieHellman({ privateKey: this.#ek, publicKey });
    const seed = kdfe(shared, 'IDENTITY', x, this.#ekArea.x, 256);
    const key = kdfa(seed, 'STORAGE', nameOf(this.#akArea), NONE, 128);
    // Behind the HMAC, which a TPM would check.
    const decipher = createDecipheriv('aes-128-cfb', key, Buffer.alloc(16));
    return decipher.update(blob.subarray(2 + HMAC_BYTES)).subarray(2);
  }
}

function pointOf(key: KeyObject): Pick<EcArea, 'x' | 'y'> {
  const { x = '', y = '' } = createPublicKey(key).export({ format: 'jwk' });
  return { x: Buffer.from(x, 'base64url'), y: Buffer.from(y, 'base64url') };
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}
