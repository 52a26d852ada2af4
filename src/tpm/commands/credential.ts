import type { TpmChannel } from '../channel.ts';
import type { Credential } from '../crypto/credential.ts';
import { sized } from '../wire/writer.ts';
import { call } from './packet.ts';
import { abandon, type LoadedKey } from './primary.ts';
import { EMPTY_PASSWORD } from './session.ts';
import { sessionForEk } from './start-session.ts';

/**
 * TPM2_ActivateCredential: opens what was made for this endorsement key beside this attestation key. The answer travels
 * encrypted from the TPM.
 *
 * @throws TpmError `not for this key` if either is another one
 */
export async function activateCredential(
  channel: TpmChannel,
  ek: LoadedKey,
  ak: LoadedKey,
  { blob, secret }: Credential,
): Promise<Uint8Array> {
  const session = await sessionForEk(channel, ek);
  try {
    const { parameters } = await call(channel, {
      command: 'activateCredential',
      handles: [ak, ek],
      sessions: [EMPTY_PASSWORD, session],
      first: blob,
      rest: sized(secret),
    });
    return parameters.sized(64);
  } catch (error) {
    // After a refusal the session stays.
    await abandon(channel, session);
    throw error;
  }
}
