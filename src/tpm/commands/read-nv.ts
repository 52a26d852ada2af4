import type { TpmChannel } from '../channel.ts';
import { HANDLE } from '../wire/constants.ts';
import { MalformedError, WireReader } from '../wire/reader.ts';
import { TpmError } from '../wire/tpm-error.ts';
import { bytesOf, u16, u32 } from '../wire/writer.ts';
import { call, type Entity, handleEntity } from './packet.ts';
import { EMPTY_PASSWORD } from './session.ts';

/** TPMA_NV: the index's own empty password suffices. */
const AUTH_READ = 0x40000;
/** No certificate is larger. */
const MAX_BYTES = 16_384;

/**
 * The content of an NV index (TPM2_NV_Read, in pieces).
 *
 * @param pieceBytes what the TPM gives at once
 * @returns undefined if there is no such index
 */
export async function readNv(
  channel: TpmChannel,
  index: number,
  pieceBytes: number,
): Promise<Buffer | undefined> {
  const found = await describe(channel, index);
  if (!found) return undefined;
  const authority = found.readable ? found.entity : handleEntity(HANDLE.owner);
  const pieces: Buffer[] = [];
  for (let offset = 0; offset < found.size; offset += pieceBytes) {
    const { parameters } = await call(channel, {
      command: 'nvRead',
      handles: [authority, found.entity],
      sessions: [EMPTY_PASSWORD],
      rest: bytesOf(u16(Math.min(pieceBytes, found.size - offset)), u16(offset)),
    });
    pieces.push(parameters.sized(pieceBytes));
  }
  return Buffer.concat(pieces);
}

async function describe(
  channel: TpmChannel,
  index: number,
): Promise<{ entity: Entity; size: number; readable: boolean } | undefined> {
  try {
    const { parameters } = await call(channel, { command: 'nvReadPublic', rest: u32(index) });
    const area = new WireReader(parameters.sized(256), 'the public area of an NV index');
    area.u32();
    area.u16();
    const attributes = area.u32();
    area.sized(64);
    const size = area.u16();
    if (size > MAX_BYTES)
      throw new MalformedError(`an NV index has ${size} bytes, more than any certificate`);
    const name = Buffer.from(parameters.sized(68));
    return { entity: { handle: index, name }, size, readable: (attributes & AUTH_READ) !== 0 };
  } catch (error) {
    if (error instanceof TpmError && error.refusal === 'no such object') return undefined;
    throw error;
  }
}
