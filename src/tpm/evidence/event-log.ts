import { createHash } from 'node:crypto';
import type { PcrValues } from '../objects/pcr-selection.ts';
import { hashBytes } from '../objects/pcr-selection.ts';
import { ALG, HASH_NAMES } from '../wire/constants.ts';
import { MalformedError } from '../wire/reader.ts';
import { LittleEndianReader } from './little-endian-reader.ts';

/**
 * The firmware's boot log (TCG PC Client Platform Firmware Profile, 10): what was measured into which register. Replayed, it
 * must give the registers' values. Its texts are hints from the machine; only its digests can be proved.
 */
export interface BootEvent {
  readonly pcr: number;
  readonly type: number;
  /** By TPM_ALG_ID of the bank. */
  readonly digests: ReadonlyMap<number, Uint8Array>;
  readonly data: Uint8Array;
}

export interface BootLog {
  /** Banks that each event has a digest for, by TPM_ALG_ID. */
  readonly banks: readonly number[];
  readonly events: readonly BootEvent[];
}

/** Bytes of a log at most. Real ones have some 20 to 80 KiB. */
const MAX_LOG_BYTES = 1024 * 1024;
const MAX_EVENTS = 8192;
const MAX_BANKS = 8;
const MAX_PCR = 23;
export const NO_ACTION = 3;
const SIGNATURE = 'Spec ID Event03\0';

/** @throws MalformedError, also for a log of TPM 1.2 */
export function readBootLog(bytes: Uint8Array): BootLog {
  if (bytes.length > MAX_LOG_BYTES) throw new MalformedError('the boot log is too large');
  const from = new LittleEndianReader(bytes, 'the boot log');
  const banks = readHeader(from);
  const events: BootEvent[] = [];
  while (from.left > 0) {
    if (events.length === MAX_EVENTS) throw new MalformedError('the boot log has too many events');
    events.push(readEvent(from, banks));
  }
  return { banks: [...banks.keys()], events };
}

/** The first record has the form of TPM 1.2 and says how all others are read. @returns digest lengths by bank */
function readHeader(from: LittleEndianReader): Map<number, number> {
  from.u32();
  if (from.u32() !== NO_ACTION) throw new MalformedError('the boot log is not a TPM 2.0 log');
  from.take(20);
  const data = new LittleEndianReader(from.take(from.u32()), 'the head of the boot log');
  if (Buffer.from(data.take(16)).toString('latin1') !== SIGNATURE)
    throw new MalformedError('the boot log is not a TPM 2.0 log');
  data.take(8);
  const count = data.u32();
  if (count === 0 || count > MAX_BANKS) throw new MalformedError(`the boot log has ${count} banks`);
  const banks = new Map<number, number>();
  for (let at = 0; at < count; at += 1) {
    const bank = data.u16();
    const length = data.u16();
    if (HASH_NAMES[bank] !== undefined && length !== hashBytes(bank))
      throw new MalformedError('the boot log has a wrong hash length');
    banks.set(bank, length);
  }
  return banks;
}

function readEvent(from: LittleEndianReader, banks: ReadonlyMap<number, number>): BootEvent {
  const pcr = from.u32();
  const type = from.u32();
  const count = from.u32();
  if (count > banks.size) throw new MalformedError('an event in the boot log has too many digests');
  const digests = new Map<number, Uint8Array>();
  for (let at = 0; at < count; at += 1) {
    const bank = from.u16();
    const length = banks.get(bank);
    if (length === undefined) throw new MalformedError('an event in the boot log has an unknown bank');
    digests.set(bank, from.take(length));
  }
  return { pcr, type, digests, data: from.take(from.u32()) };
}

/**
 * The values that the registers have if nothing else was measured: registers that the log does not mention are absent.
 *
 * @throws MalformedError if the log has no digests of this bank
 */
export function replay({ banks, events }: BootLog, bank: number): PcrValues {
  const name = HASH_NAMES[bank];
  if (name === undefined || !banks.includes(bank))
    throw new MalformedError('the boot log does not have this bank');
  const values = new Map<number, Uint8Array>();
  for (const { pcr, type, digests, data } of events) {
    if (pcr > MAX_PCR) continue;
    if (type === NO_ACTION) {
      const locality = startupLocality(data);
      if (locality !== undefined && pcr === 0) values.set(0, startValue(bank, locality));
      continue;
    }
    const digest = digests.get(bank);
    if (!digest) throw new MalformedError('an event in the boot log is missing a digest');
    const before = values.get(pcr) ?? startValue(bank, 0);
    values.set(pcr, createHash(name).update(before).update(digest).digest());
  }
  return values;
}

function startValue(bank: number, locality: number): Buffer {
  const value = Buffer.alloc(hashBytes(bank));
  value[value.length - 1] = locality;
  return value;
}

/** The locality that started the TPM is the first value of PCR 0. */
function startupLocality(data: Uint8Array): number | undefined {
  const text = Buffer.from(data.subarray(0, 16)).toString('latin1');
  return text === 'StartupLocality\0' ? data[16] : undefined;
}

/** What the firmware measured about secure boot. Undefined where it says nothing that its own digest proves. */
export function secureBoot({ events }: BootLog): boolean | undefined {
  const EFI_VARIABLE_DRIVER_CONFIG = 0x80000001;
  for (const { pcr, type, digests, data } of events) {
    if (pcr !== 7 || type !== EFI_VARIABLE_DRIVER_CONFIG) continue;
    const digest = digests.get(ALG.sha256);
    // The text counts only if it is what was measured.
    if (!digest || !createHash('sha256').update(data).digest().equals(digest)) continue;
    const variable = readVariable(data);
    if (variable?.name === 'SecureBoot') return variable.value[0] === 1;
  }
  return undefined;
}

/** UEFI_VARIABLE_DATA: vendor GUID, two lengths, the name in UTF-16, the value. */
export function readVariable(data: Uint8Array): { name: string; value: Uint8Array } | undefined {
  const from = new LittleEndianReader(data, 'a variable of the firmware');
  try {
    from.take(16);
    const nameLength = from.u64();
    const valueLength = from.u64();
    if (nameLength > 512n || valueLength > BigInt(data.length)) return undefined;
    const name = Buffer.from(from.take(Number(nameLength) * 2)).toString('utf16le');
    return { name, value: from.take(Number(valueLength)) };
  } catch (error) {
    if (error instanceof MalformedError) return undefined;
    throw error;
  }
}
