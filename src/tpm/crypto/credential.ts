import type { EcArea, RsaArea } from '../objects/public-area.ts';
import { sized } from '../wire/writer.ts';
import { wrapSensitive } from './importable.ts';
import { createSharedSeed } from './shared-seed.ts';

/** What TPM2_ActivateCredential takes. */
export interface Credential {
  /** Content of a TPM2B_ID_OBJECT. */
  readonly blob: Uint8Array;
  /** Content of a TPM2B_ENCRYPTED_SECRET. */
  readonly secret: Uint8Array;
}

/** Bytes of a secret at most: the digest of the endorsement key's hash. */
const MAX_CREDENTIAL_BYTES = 32;

/**
 * TPM2_MakeCredential without a TPM (Part 1, 24): `value` comes out only in the TPM that holds `ek`, and only while an
 * object of the Name `akName` is loaded there. So it proves that both keys are in one TPM.
 *
 * @param akName computed here from the key's public area, never taken from who is to be proved
 */
export function makeCredential(ek: RsaArea | EcArea, akName: Uint8Array, value: Uint8Array): Credential {
  if (value.length > MAX_CREDENTIAL_BYTES) throw new RangeError('a credential holds at most 32 bytes');
  const { seed, secret } = createSharedSeed(ek, 'IDENTITY');
  return { blob: wrapSensitive(seed, akName, sized(value)), secret };
}
