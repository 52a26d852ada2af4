import { createHash } from 'node:crypto';
import { HASH_NAMES } from '../wire/constants.ts';
import { MalformedError, type WireReader } from '../wire/reader.ts';
import { bytesOf, u8, u16, u32 } from '../wire/writer.ts';

/** Platform configuration registers of one bank, ascending. */
export interface PcrSelection {
  /** TPM_ALG_ID of the bank's hash. */
  readonly bank: number;
  /** Numbers from 0 to 23, ascending. */
  readonly pcrs: readonly number[];
}

/** Values by register. */
export type PcrValues = ReadonlyMap<number, Uint8Array>;

const PCR_COUNT = 24;
const BITMAP_BYTES = PCR_COUNT / 8;
const MAX_BANKS = 16;

/** TPML_PCR_SELECTION (Part 2, 10.9.7) of one bank. */
export function encodeSelection({ bank, pcrs }: PcrSelection): Buffer {
  const bitmap = Buffer.alloc(BITMAP_BYTES);
  for (const pcr of pcrs) bitmap[pcr >> 3] = (bitmap[pcr >> 3] ?? 0) | (1 << (pcr & 7));
  return bytesOf(u32(1), u16(bank), u8(BITMAP_BYTES), bitmap);
}

/** @throws MalformedError */
export function decodeSelections(from: WireReader): PcrSelection[] {
  const count = from.u32();
  if (count > MAX_BANKS) throw new MalformedError(`${count} banks of PCRs are too many`);
  return Array.from({ length: count }, () => {
    const bank = from.u16();
    const bitmap = from.take(from.u8());
    const pcrs = [...bitmap].flatMap((byte, at) =>
      Array.from({ length: 8 }, (_, bit) => bit)
        .filter((bit) => (byte & (1 << bit)) !== 0)
        .map((bit) => at * 8 + bit),
    );
    return { bank, pcrs };
  });
}

/**
 * The digest that a quote signs and that a policy compares: SHA-256 over the values in ascending order (Part 3, 18.4 and
 * 23.7).
 *
 * @throws MalformedError if a value is missing or not as long as the bank's hash
 */
export function digestOf({ bank, pcrs }: PcrSelection, values: PcrValues): Buffer {
  const length = hashBytes(bank);
  const hash = createHash('sha256');
  for (const pcr of pcrs) {
    const value = values.get(pcr);
    if (value?.length !== length) throw new MalformedError(`the value of PCR ${pcr} is missing or damaged`);
    hash.update(value);
  }
  return hash.digest();
}

/** Bytes of a bank's values. @throws MalformedError for a bank that Slipway does not know */
export function hashBytes(bank: number): number {
  const name = HASH_NAMES[bank];
  if (name === undefined) throw new MalformedError(`the bank 0x${bank.toString(16)} is unknown`);
  return createHash(name).digest().length;
}
