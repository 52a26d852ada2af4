import type { TpmChannel } from '../channel.ts';
import { decodeSelections } from '../objects/pcr-selection.ts';
import { MalformedError, type WireReader } from '../wire/reader.ts';
import { bytesOf, u32 } from '../wire/writer.ts';
import { call } from './packet.ts';

/** TPM_CAP (Part 2, 6.12). */
const CAPABILITY = { handles: 1, pcrs: 5, properties: 6 } as const;
const MAX_ENTRIES = 256;

/** What the TPM says of itself. */
export interface TpmProperties {
  /** Four letters of the TCG's registry of vendors, such as `IBM` or `INTC`. */
  readonly manufacturer: string;
  readonly model: string;
  /** Vendor's own form, both halves in decimal. */
  readonly firmware: string;
  /** Failed authorizations that count towards the lock-out. */
  readonly lockoutCounter: number;
  readonly lockoutLimit: number;
  readonly lockedOut: boolean;
  /** Bytes that one TPM2_NV_Read can give. */
  readonly nvBufferBytes: number;
}

const FIXED = 0x100;
const VARIABLE = 0x200;
/** TPM_PT_MAX_AUTH_FAIL; every TPM has it. */
const LOCKOUT_LIMIT = 0x20f;

/**
 * In failure mode (Part 1, 12.3) a TPM names hardly more than its maker, and what it says of its state means nothing.
 *
 * @throws MalformedError
 */
export async function readProperties(channel: TpmChannel): Promise<TpmProperties> {
  const found = new Map([...(await properties(channel, FIXED)), ...(await properties(channel, VARIABLE))]);
  if (!found.has(LOCKOUT_LIMIT))
    throw new MalformedError('the TPM is in failure mode because its self-test or startup failed');
  const value = (key: number): number => found.get(key) ?? 0;
  return {
    manufacturer: letters(value(0x105)),
    model: [0x106, 0x107, 0x108, 0x109]
      .map((key) => letters(value(key)))
      .join('')
      .replace(/ +/g, ' ')
      .trim(),
    firmware: [value(0x10b), value(0x10c)].flatMap((word) => [word >>> 16, word & 0xffff]).join('.'),
    lockoutCounter: value(0x20e),
    lockoutLimit: value(LOCKOUT_LIMIT),
    // TPMA_PERMANENT, inLockout.
    lockedOut: (value(0x200) & 0x200) !== 0,
    nvBufferBytes: value(0x12c) || 512,
  };
}

/** Banks that have at least one register, by TPM_ALG_ID. */
export async function readBanks(channel: TpmChannel): Promise<number[]> {
  const answer = await capability(channel, CAPABILITY.pcrs, 0, 1);
  return decodeSelections(answer)
    .filter(({ pcrs }) => pcrs.length > 0)
    .map(({ bank }) => bank);
}

/** Handles that are in use from `first` on, such as those of NV indices. */
export async function readHandles(channel: TpmChannel, first: number): Promise<number[]> {
  const answer = await capability(channel, CAPABILITY.handles, first, MAX_ENTRIES);
  return entries(answer, () => answer.u32());
}

async function properties(channel: TpmChannel, first: number): Promise<[number, number][]> {
  const answer = await capability(channel, CAPABILITY.properties, first, 127);
  return entries(answer, () => [answer.u32(), answer.u32()]);
}

function entries<T>(answer: WireReader, read: () => T): T[] {
  const count = answer.u32();
  if (count > MAX_ENTRIES) throw new MalformedError('the TPM lists more than allowed');
  return Array.from({ length: count }, read);
}

async function capability(
  channel: TpmChannel,
  kind: number,
  first: number,
  count: number,
): Promise<WireReader> {
  const { parameters } = await call(channel, {
    command: 'getCapability',
    rest: bytesOf(u32(kind), u32(first), u32(count)),
  });
  // Whether there is more. What is asked for here fits.
  parameters.u8();
  if (parameters.u32() !== kind) throw new MalformedError('the TPM answered a different request');
  return parameters;
}

function letters(word: number): string {
  return Buffer.of(word >>> 24, (word >>> 16) & 0xff, (word >>> 8) & 0xff, word & 0xff)
    .toString('latin1')
    .replace(/[^\x20-\x7e]/g, '');
}
