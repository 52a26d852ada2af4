import type { TpmChannel } from '../channel.ts';
import { decodePublic, type EcArea, encodePublic, nameOf, type RsaArea } from '../objects/public-area.ts';
import { HANDLE } from '../wire/constants.ts';
import { MalformedError } from '../wire/reader.ts';
import { TpmError } from '../wire/tpm-error.ts';
import { bytesOf, NOTHING, sized, u32 } from '../wire/writer.ts';
import { call, type Entity, handleEntity } from './packet.ts';
import { EMPTY_PASSWORD } from './session.ts';

/** A key in the TPM, with what it says of itself. */
export interface LoadedKey extends Entity {
  readonly area: RsaArea | EcArea;
}

/**
 * TPM2_CreatePrimary in the endorsement hierarchy: nothing has to be stored for it. Keys of the owner's hierarchy would get
 * a disguised reset counter in their quotes, which cannot be compared.
 */
export async function createPrimary(channel: TpmChannel, template: RsaArea | EcArea): Promise<LoadedKey> {
  const { handle, parameters } = await call(channel, {
    command: 'createPrimary',
    handles: [handleEntity(HANDLE.endorsement)],
    sessions: [EMPTY_PASSWORD],
    // No password and no data for the new key.
    first: bytesOf(NOTHING, NOTHING),
    rest: bytesOf(sized(encodePublic(template)), NOTHING, u32(0)),
    makesHandle: true,
  });
  const area = decodePublic(parameters.sized(1024));
  if (area.type === 'sealed' || area.type !== template.type)
    throw new MalformedError('the TPM created a different type of key than requested');
  return { handle, area, name: nameOf(area) };
}

/** TPM2_FlushContext: gives a slot back; a TPM has three or so. */
export async function flush(channel: TpmChannel, { handle }: Pick<Entity, 'handle'>): Promise<void> {
  await call(channel, { command: 'flushContext', rest: u32(handle) });
}

/** Flushes what a command that failed may have left; whether it did, the TPM alone knows. */
export async function abandon(channel: TpmChannel, left: Pick<Entity, 'handle'>): Promise<void> {
  try {
    await flush(channel, left);
  } catch (error) {
    if (!(error instanceof TpmError)) throw error;
  }
}

/** Uses a key and flushes it afterwards, also after an error. */
export async function withPrimary<T>(
  channel: TpmChannel,
  template: RsaArea | EcArea,
  use: (key: LoadedKey) => Promise<T>,
): Promise<T> {
  const key = await createPrimary(channel, template);
  try {
    return await use(key);
  } finally {
    await flush(channel, key);
  }
}
