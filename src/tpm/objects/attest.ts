import { GENERATED, TAG } from '../wire/constants.ts';
import { MalformedError, WireReader } from '../wire/reader.ts';
import { decodeSelections, type PcrSelection } from './pcr-selection.ts';

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
  if (from.u16() !== TAG.quote) throw new MalformedError('what the TPM signed is no quote');
  const signer = from.sized(68);
  const extraData = from.sized(64);
  const clock = from.u64();
  const resetCount = from.u32();
  const restartCount = from.u32();
  const safe = from.u8();
  if (safe > 1) throw new MalformedError('the quote has a truth value that is neither yes nor no');
  const firmware = from.u64();
  const selections = decodeSelections(from);
  const pcrDigest = from.sized(64);
  from.end();
  const counts = { clock, resetCount, restartCount, safe: safe === 1 };
  return { signer, extraData, ...counts, firmware, selections, pcrDigest };
}
