import type { TpmChannel } from '../../../../src/tpm/channel.ts';
import { readBanks, readHandles, readProperties } from '../../../../src/tpm/commands/capabilities.ts';
import { createPrimary } from '../../../../src/tpm/commands/primary.ts';
import { quote } from '../../../../src/tpm/commands/quote.ts';
import { readNv } from '../../../../src/tpm/commands/read-nv.ts';
import { readPcrs } from '../../../../src/tpm/commands/read-pcrs.ts';
import { TamperedError } from '../../../../src/tpm/commands/session.ts';
import { startSession } from '../../../../src/tpm/commands/start-session.ts';
import { recordedQuote, SELECTION } from '../../../../src/tpm/evidence/fixtures/quote-evidence.ts';
import { encodePublic, nameOf } from '../../../../src/tpm/objects/public-area.ts';
import { AK, EK_EC } from '../../../../src/tpm/objects/templates.ts';
import { ALG } from '../../../../src/tpm/wire/constants.ts';
import { MalformedError } from '../../../../src/tpm/wire/reader.ts';
import { TpmError } from '../../../../src/tpm/wire/tpm-error.ts';
import { bytesOf, NOTHING, sized, u8, u16, u32 } from '../../../../src/tpm/wire/writer.ts';
import { must, type Target } from '../../target.ts';

const refuses = (error: unknown): boolean =>
  error instanceof MalformedError || error instanceof TpmError || error instanceof TamperedError;

/** More commands than any reading needs. */
const MOST_COMMANDS = 40_000;

/** What somebody between the processor and the TPM answers to each command that reads something. */
export const tpmAnswers: Target = {
  name: 'tpm-answers',
  corpus: () => [
    answers([
      bytesOf(u8(0), u32(6), u32(3), u32(0x105), u32(0x49424d20), u32(0x20f), u32(5), u32(0x12c), u32(64)),
    ]),
    answers([bytesOf(u8(0), u32(5), u32(1), u16(0x0b), u8(3), u8(255), u8(255), u8(0))]),
    answers([bytesOf(u8(0), u32(1), u32(2), u32(0x01c00100), u32(0x01c00101))]),
    answers([nvPublic(100)], [sized(Buffer.alloc(64, 1))], [sized(Buffer.alloc(36, 2))]),
    answers([bytesOf(u32(9), u32(1), u16(0x0b), u8(3), u8(3), u8(0), u8(0), u32(2), value(1), value(2))]),
    ...[AK, EK_EC].map((area) => answers([u32(0x80ffffff), sized(encodePublic(area)), NOTHING, NOTHING])),
    answers([u32(0x03000000), sized(Buffer.alloc(32, 5))]),
    answers([
      sized(Buffer.from(recordedQuote().evidence.quoted)),
      Buffer.from(recordedQuote().evidence.signature),
    ]),
  ],
  dictionary: [
    '\x80\x01',
    '\x80\x02',
    '\x00\x00\x01\x8b',
    '\x00\x00\x09\x22',
    '\xff\xff\xff\xff',
    '\x00\x0b',
  ],
  async run(bytes) {
    const key = { handle: 0x80000001, area: EK_EC, name: nameOf(EK_EC) };
    const readings: ((channel: TpmChannel) => Promise<unknown>)[] = [
      readProperties,
      readBanks,
      (channel) => readHandles(channel, 0x01c00100),
      async (channel) => (await readNv(channel, 0x01c0000a, 64))?.length,
      async (channel) => (await readPcrs(channel, { bank: ALG.sha256, pcrs: [0, 1] })).size,
      async (channel) => (await createPrimary(channel, AK)).area.type,
      async (channel) => (await startSession(channel, key)).handle,
      async (channel) => (await quote(channel, key, NOTHING, SELECTION)).quoted.length,
    ];
    const told: unknown[] = [];
    for (const read of readings) {
      told.push(await read(answering(bytes)).catch(nameIfRefused));
    }
    return told;
  },
};

function nameIfRefused(error: unknown): string {
  if (refuses(error)) return (error as Error).name;
  throw error;
}

/** Gives the bytes piece by piece, each as long as its head says; the last piece for ever. */
function answering(bytes: Buffer): TpmChannel {
  let at = 0;
  let commands = 0;
  let last: Buffer = bytes;
  return {
    async transmit() {
      commands += 1;
      must(commands <= MOST_COMMANDS, 'no answer makes the asking endless');
      if (at < bytes.length) {
        const said = bytes.length - at < 6 ? 0 : bytes.readUInt32BE(at + 2);
        last = bytes.subarray(at, at + Math.max(said, 10));
        at += last.length;
      }
      return last;
    },
    pause: async () => undefined,
    close: async () => undefined,
  };
}

/** Whole answers without sessions, one after the other. */
function answers(...bodies: readonly Uint8Array[][]): Buffer {
  return Buffer.concat(
    bodies.map((parts) => {
      const body = bytesOf(...parts);
      return bytesOf(u16(0x8001), u32(body.length + 10), u32(0), body);
    }),
  );
}

const value = (byte: number): Uint8Array => sized(Buffer.alloc(32, byte));

function nvPublic(size: number): Uint8Array {
  const area = bytesOf(u32(0x01c0000a), u16(0x0b), u32(0x40000), NOTHING, u16(size));
  return bytesOf(sized(area), sized(Buffer.alloc(34, 3)));
}
