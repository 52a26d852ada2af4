import { type Importable, sealFor } from '../crypto/importable.ts';
import type { PcrValues } from '../objects/pcr-selection.ts';
import type { EcArea, RsaArea } from '../objects/public-area.ts';
import { ALG } from '../wire/constants.ts';

/** A key that one TPM alone can open, as text: bytes in base64. */
interface SealedKeyText {
  endorsementKey: string;
  pcrs: number[];
  public: string;
  duplicate: string;
  seed: string;
}

/** The TPM, and the boot state, that a key is sealed for. */
export interface SealKeyFor {
  readonly ek: RsaArea | EcArea;
  readonly endorsementKey: string;
  /** The boot state that it opens in; absent: any. */
  readonly state?: { pcrs: readonly number[]; values: PcrValues };
}

export function sealKeyFor({ ek, endorsementKey, state }: SealKeyFor, key: Uint8Array): SealedKeyText {
  const when = state && { selection: { bank: ALG.sha256, pcrs: state.pcrs }, values: state.values };
  const { publicArea, duplicate, seed } = sealFor(ek, key, when);
  const b64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
  return {
    ...{ endorsementKey, pcrs: [...(state?.pcrs ?? [])] },
    ...{ public: b64(publicArea), duplicate: b64(duplicate), seed: b64(seed) },
  };
}

export function importableOf(text: Pick<SealedKeyText, 'public' | 'duplicate' | 'seed'>): Importable {
  const bytes = (value: string): Buffer => Buffer.from(value, 'base64');
  return { publicArea: bytes(text.public), duplicate: bytes(text.duplicate), seed: bytes(text.seed) };
}
