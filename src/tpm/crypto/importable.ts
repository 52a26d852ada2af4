import { createCipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { digestOf, encodeSelection, type PcrSelection, type PcrValues } from '../objects/pcr-selection.ts';
import { type EcArea, encodePublic, nameOf, type RsaArea, type SealedArea } from '../objects/public-area.ts';
import { ALG, ATTRIBUTE, COMMAND } from '../wire/constants.ts';
import { bytesOf, NOTHING, sized, u16, u32 } from '../wire/writer.ts';
import { kdfa } from './key-derivation.ts';
import { createSharedSeed } from './shared-seed.ts';

/** A secret that one TPM alone can open, made without having met it. */
export interface Importable {
  /** TPMT_PUBLIC. */
  readonly publicArea: Uint8Array;
  /** Content of a TPM2B_PRIVATE. */
  readonly duplicate: Uint8Array;
  /** Content of a TPM2B_ENCRYPTED_SECRET. */
  readonly seed: Uint8Array;
}

/** Bytes that an object can hold (MAX_SYM_DATA); wrap a key for more. */
const MAX_SEALED_BYTES = 128;

/**
 * Seals `data` to the TPM that holds `parent`, to be opened by TPM2_Import, TPM2_Load and TPM2_Unseal (Part 1, 23.3).
 *
 * @param when the boot state that it opens in; absent: in any
 * @throws RangeError for more than 128 bytes
 */
export function sealFor(
  parent: RsaArea | EcArea,
  data: Uint8Array,
  when: { selection: PcrSelection; values: PcrValues } | undefined,
): Importable {
  if (data.length > MAX_SEALED_BYTES) throw new RangeError('a TPM seals at most 128 bytes');
  const seedValue = randomBytes(32);
  const area: SealedArea = {
    type: 'sealed',
    // Neither fixedTPM nor fixedParent, because it comes from outside.
    attributes: when ? 0 : ATTRIBUTE.userWithAuth,
    policy: when ? pcrPolicy(when.selection, digestOf(when.selection, when.values)) : Buffer.alloc(0),
    unique: createHash('sha256').update(seedValue).update(data).digest(),
  };
  const sensitive = bytesOf(u16(ALG.keyedHash), NOTHING, sized(seedValue), sized(data));
  const { seed, secret } = createSharedSeed(parent, 'DUPLICATE');
  return {
    publicArea: encodePublic(area),
    duplicate: wrapSensitive(seed, nameOf(area), sized(sensitive)),
    seed: secret,
  };
}

/** The digest of a policy of one TPM2_PolicyPCR (Part 3, 23.7). */
function pcrPolicy(selection: PcrSelection, pcrDigest: Uint8Array): Buffer {
  return createHash('sha256')
    .update(Buffer.alloc(32))
    .update(u32(COMMAND.policyPcr))
    .update(encodeSelection(selection))
    .update(pcrDigest)
    .digest();
}

const NONE = Buffer.alloc(0);

/**
 * Outer wrapping (Part 1, 22.4 and 24): encrypted by AES-128-CFB, and an HMAC before it, both under keys from the seed and
 * for one object's Name only.
 *
 * @returns 2B HMAC, then the ciphertext
 */
export function wrapSensitive(seed: Uint8Array, name: Uint8Array, sensitive: Uint8Array): Buffer {
  const cipher = createCipheriv('aes-128-cfb', kdfa(seed, 'STORAGE', name, NONE, 128), Buffer.alloc(16));
  const encrypted = bytesOf(cipher.update(sensitive), cipher.final());
  const hmac = createHmac('sha256', kdfa(seed, 'INTEGRITY', NONE, NONE, 256));
  return bytesOf(sized(hmac.update(encrypted).update(name).digest()), encrypted);
}
