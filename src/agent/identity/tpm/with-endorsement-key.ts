import type { TpmChannel } from '../../../tpm/channel.ts';
import { readProperties } from '../../../tpm/commands/capabilities.ts';
import { type LoadedKey, withPrimary } from '../../../tpm/commands/primary.ts';
import { endorsementKeyId } from '../../../tpm/evidence/endorsement.ts';
import { TPM_PATH } from '../../document/paths.ts';
import type { Host } from '../../host/host.ts';
import { checkEndorsement, findEndorsement } from './endorsement-key.ts';
import { openMachineTpm } from './open-tpm.ts';
import { toTpmProblem } from './tpm-problem.ts';

/** The machine's endorsement key in its TPM. */
export interface MachineEndorsementKey {
  readonly channel: TpmChannel;
  readonly ek: LoadedKey;
  /** `sha256:...`. */
  readonly own: string;
}

/**
 * Does something with the endorsement key, which is the one that its certificate names, in one conversation.
 *
 * @throws TpmProblem
 */
export async function withEndorsementKey<T>(
  host: Host,
  work: (key: MachineEndorsementKey) => Promise<T>,
): Promise<T> {
  const channel = await openMachineTpm(host, TPM_PATH);
  try {
    const { nvBufferBytes } = await readProperties(channel);
    const endorsement = await findEndorsement(channel, nvBufferBytes);
    return await withPrimary(channel, endorsement.template, (ek) =>
      work({ channel, ek, own: endorsementKeyId(checkEndorsement(endorsement, ek.area)) }),
    );
  } catch (error) {
    throw toTpmProblem(error);
  } finally {
    await channel.close();
  }
}
