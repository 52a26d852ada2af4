import type { TpmChannel } from '../channel.ts';
import type { Importable } from '../crypto/importable.ts';
import type { PcrSelection } from '../objects/pcr-selection.ts';
import { decodePublic, nameOf } from '../objects/public-area.ts';
import { ALG } from '../wire/constants.ts';
import { TpmError } from '../wire/tpm-error.ts';
import { bytesOf, sized, u16 } from '../wire/writer.ts';
import { type Call, call, type Entity } from './packet.ts';
import { abandon, flush, type LoadedKey } from './primary.ts';
import { EMPTY_PASSWORD, type SaltedSession } from './session.ts';
import { sessionForBootState, sessionForEk } from './start-session.ts';

/** TPM_RC (Part 2, 6.6): of a handle, session or parameter; the data do not fit their key. */
const FORMAT_1 = 0x80;
const INTEGRITY = 0x9f;

/**
 * Opens what was sealed for this endorsement key (`sealFor`): TPM2_Import, TPM2_Load, TPM2_Unseal.
 *
 * @param registers those whose state it was sealed to, if it was
 * @throws TpmError `not for this key`; `policy not met` if the machine did not boot into that state
 */
export async function openSealed(
  channel: TpmChannel,
  ek: LoadedKey,
  { publicArea, duplicate, seed }: Importable,
  registers: PcrSelection | undefined,
): Promise<Uint8Array> {
  const imported = await withBlob(channel, ek, (session) => ({
    command: 'import',
    handles: [ek],
    sessions: [session],
    first: Buffer.alloc(0),
    rest: bytesOf(sized(publicArea), sized(duplicate), sized(seed), u16(ALG.null)),
  }));
  const loaded = await withBlob(channel, ek, (session) => ({
    command: 'load',
    handles: [ek],
    sessions: [session],
    first: imported.parameters.sized(1024),
    rest: sized(publicArea),
    makesHandle: true,
  }));
  const object = { handle: loaded.handle, name: nameOf(decodePublic(publicArea)) };
  try {
    return await unseal(channel, ek, object, registers);
  } finally {
    await flush(channel, object);
  }
}

async function unseal(
  channel: TpmChannel,
  ek: LoadedKey,
  object: Entity,
  registers: PcrSelection | undefined,
): Promise<Uint8Array> {
  if (!registers) {
    const answer = await call(channel, { command: 'unseal', handles: [object], sessions: [EMPTY_PASSWORD] });
    return answer.parameters.sized(128);
  }
  const session = await sessionForBootState(channel, ek, registers);
  const answer = await once(channel, session, (authority) => ({
    command: 'unseal',
    handles: [object],
    sessions: [authority],
  }));
  return answer.parameters.sized(128);
}

/**
 * A command that takes what was sealed. Whatever is wrong with that means that it was changed: a bad parameter and, in libtpms, a
 * seed that RSA does not decrypt, which it calls a failure of the TPM. A TPM that has failed starts no other session.
 */
async function withBlob(channel: TpmChannel, ek: LoadedKey, request: (session: SaltedSession) => Call) {
  try {
    return await once(channel, await sessionForEk(channel, ek), request);
  } catch (error) {
    if (!(error instanceof TpmError)) throw error;
    const isParameter = error.refusal === 'other' && (error.code & FORMAT_1) !== 0;
    if (!isParameter && error.refusal !== 'broken') throw error;
    await abandon(channel, await sessionForEk(channel, ek));
    throw new TpmError('what was sealed', INTEGRITY);
  }
}

/** One command under a session, which stays in the TPM after an error and must not. */
async function once(channel: TpmChannel, session: SaltedSession, request: (session: SaltedSession) => Call) {
  try {
    return await call(channel, request(session));
  } catch (error) {
    await abandon(channel, session);
    throw error;
  }
}
