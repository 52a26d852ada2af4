import type { TpmChannel } from '../channel.ts';
import { decodeSelections, encodeSelection, hashBytes, type PcrSelection } from '../objects/pcr-selection.ts';
import { MalformedError } from '../wire/reader.ts';
import { call } from './packet.ts';

/** A register that is extended over and over again would be read for ever. */
const ATTEMPTS = 5;

/**
 * TPM2_PCR_Read, which gives eight values at most, until all are from one moment.
 *
 * @throws MalformedError if the bank is not there, or the registers never stand still
 */
export async function readPcrs(
  channel: TpmChannel,
  selection: PcrSelection,
): Promise<Map<number, Uint8Array>> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const values = await readOnce(channel, selection);
    if (values) return values;
  }
  throw new MalformedError('the PCRs changed while they were read');
}

/** Undefined if a register was extended meanwhile. */
async function readOnce(
  channel: TpmChannel,
  { bank, pcrs }: PcrSelection,
): Promise<Map<number, Uint8Array> | undefined> {
  const values = new Map<number, Uint8Array>();
  let counter: number | undefined;
  while (values.size < pcrs.length) {
    const missing = pcrs.filter((pcr) => !values.has(pcr));
    const { parameters } = await call(channel, {
      command: 'pcrRead',
      rest: encodeSelection({ bank, pcrs: missing }),
    });
    const now = parameters.u32();
    if (now !== (counter ?? now)) return undefined;
    counter = now;
    const read = decodeSelections(parameters)[0]?.pcrs ?? [];
    const count = parameters.u32();
    // Whoever answers with others than those that are missing would be asked for ever.
    if (count === 0 || count !== read.length || !read.every((pcr) => missing.includes(pcr)))
      throw new MalformedError('the TPM does not have the requested PCRs');
    for (const pcr of read) {
      const value = parameters.sized(64);
      if (value.length !== hashBytes(bank)) throw new MalformedError('a PCR has an unexpected length');
      values.set(pcr, value);
    }
  }
  return values;
}
