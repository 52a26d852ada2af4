import { ALG } from '../wire/constants.ts';
import { MalformedError, WireReader } from '../wire/reader.ts';
import { bytesOf, u8, u32 } from '../wire/writer.ts';
import { eventHint } from './event-hint.ts';
import { type BootEvent, type BootLog, NO_ACTION } from './event-log.ts';

/**
 * A boot log as a proof carries it: of each event the register, the type, the digest by SHA-256 and a short text, but none of its data,
 * which may be large. It can be replayed as the whole log can.
 */

const VERSION = 1;
const DIGEST_BYTES = 32;
/** Texts are cut more and more until all events have room; then those of the firmware alone are carried. */
const HINT_BYTES = [64, 24, 0];
const FIRMWARE_PCRS = 8;
const LOCALITY_BYTES = 17;

/** @returns undefined if it has no digests by SHA-256, or more events than there is room for */
export function encodeCompactLog({ banks, events }: BootLog, maxBytes: number): Buffer | undefined {
  if (!banks.includes(ALG.sha256)) return undefined;
  const measured = events.filter(({ pcr, type }) => pcr < 16 && (type !== NO_ACTION || pcr === 0));
  const firmware = measured.filter(({ pcr }) => pcr < FIRMWARE_PCRS);
  const ways = [...HINT_BYTES.map((max) => [measured, max] as const), [firmware, 0] as const];
  for (const [some, max] of ways) {
    const bytes = bytesOf(u8(VERSION), ...some.map((event) => encode(event, max)));
    if (bytes.length <= maxBytes) return bytes;
  }
  return undefined;
}

function encode({ pcr, type, digests, data }: BootEvent, hintBytes: number): Buffer {
  const digest = digests.get(ALG.sha256) ?? Buffer.alloc(DIGEST_BYTES);
  // The locality that started the TPM is in the data, and counts for the replay.
  const text = type === NO_ACTION ? data.subarray(0, LOCALITY_BYTES) : cut(eventHint(type, data), hintBytes);
  return bytesOf(u8(pcr), u32(type), digest, u8(text.length), text);
}

/** No character is cut in two. */
function cut(text: string, maxBytes: number): Buffer {
  const bytes = Buffer.from(text).subarray(0, maxBytes).toString('utf8');
  return Buffer.from(bytes.replace(/\ufffd+$/, '')).subarray(0, maxBytes);
}

/** @returns the log, with the texts in the place of the events' data @throws MalformedError */
export function readCompactLog(bytes: Uint8Array): BootLog {
  const from = new WireReader(bytes, 'the boot log of the proof');
  if (from.u8() !== VERSION) throw new MalformedError('the boot log of the proof has another version');
  const events: BootEvent[] = [];
  while (from.left > 0) {
    const [pcr, type] = [from.u8(), from.u32()];
    const digests = new Map([[ALG.sha256, from.take(DIGEST_BYTES)]]);
    events.push({ pcr, type, digests, data: from.take(from.u8()) });
  }
  return { banks: [ALG.sha256], events };
}
