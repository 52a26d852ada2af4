import { randomBytes } from 'node:crypto';
import type { TpmChannel } from '../channel.ts';
import { kdfa } from '../crypto/key-derivation.ts';
import { createSharedSeed } from '../crypto/shared-seed.ts';
import { encodeSelection, type PcrSelection } from '../objects/pcr-selection.ts';
import { ALG, HANDLE } from '../wire/constants.ts';
import { bytesOf, NOTHING, sized, u8, u16, u32 } from '../wire/writer.ts';
import { call, handleEntity } from './packet.ts';
import type { LoadedKey } from './primary.ts';
import { EMPTY_PASSWORD, SaltedSession } from './session.ts';

const POLICY_SESSION = 1;

/** Starts a policy session whose salt only the TPM that holds `salt` can open (Part 1, 19.6.14). */
export async function startSession(channel: TpmChannel, salt: LoadedKey): Promise<SaltedSession> {
  const nonceCaller = randomBytes(32);
  const { seed, secret } = createSharedSeed(salt.area, 'SECRET');
  const { handle, parameters } = await call(channel, {
    command: 'startAuthSession',
    handles: [salt, handleEntity(HANDLE.null)],
    first: nonceCaller,
    rest: bytesOf(sized(secret), u8(POLICY_SESSION), u16(ALG.aes), u16(128), u16(ALG.cfb), u16(ALG.sha256)),
    makesHandle: true,
  });
  const nonceTpm = parameters.sized(64);
  parameters.end();
  return new SaltedSession(handle, kdfa(seed, 'ATH', nonceTpm, nonceCaller, 256), nonceTpm);
}

/** A session that may use the endorsement key: policy A demands the hierarchy's password. */
export async function sessionForEk(channel: TpmChannel, ek: LoadedKey): Promise<SaltedSession> {
  const session = await startSession(channel, ek);
  await call(channel, {
    command: 'policySecret',
    handles: [handleEntity(HANDLE.endorsement), handleEntity(session.handle)],
    sessions: [EMPTY_PASSWORD],
    first: Buffer.alloc(0),
    // No digest of a command, no reference, no end of its validity.
    rest: bytesOf(NOTHING, NOTHING, u32(0)),
  });
  return session;
}

/** A session that stands for the present values of these registers: what was sealed to others stays shut. */
export async function sessionForBootState(
  channel: TpmChannel,
  salt: LoadedKey,
  selection: PcrSelection,
): Promise<SaltedSession> {
  const session = await startSession(channel, salt);
  await call(channel, {
    command: 'policyPcr',
    handles: [handleEntity(session.handle)],
    // No digest of ours: the TPM takes its own.
    first: Buffer.alloc(0),
    rest: encodeSelection(selection),
  });
  return session;
}
