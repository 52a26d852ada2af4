import type { KeyForTpm } from '../../protocol/sealed-stub.ts';
import { openSealed } from '../../tpm/commands/open-sealed.ts';
import { importableOf } from '../../tpm/sealing/sealed-key.ts';
import { ALG } from '../../tpm/wire/constants.ts';
import { TpmError } from '../../tpm/wire/tpm-error.ts';
import type { Host } from '../host/host.ts';
import { TpmProblem } from '../identity/tpm/tpm-problem.ts';
import { withEndorsementKey } from '../identity/tpm/with-endorsement-key.ts';
import { SealedProblem } from './sealed-problem.ts';

/**
 * The key of a sealed part, which this machine's TPM alone can open; nobody else is asked.
 *
 * @throws SealedProblem, TpmProblem
 */
export async function openKeyByTpm(host: Host, key: KeyForTpm): Promise<Uint8Array> {
  const { endorsementKey, pcrs } = key;
  const registers = pcrs.length === 0 ? undefined : { bank: ALG.sha256, pcrs };
  return await withEndorsementKey(host, async ({ channel, ek, own }) => {
    if (own !== endorsementKey)
      throw new SealedProblem(
        'SealedDataForeign',
        `the user data were sealed for ${endorsementKey}, and this machine's TPM is ${own}`,
      );
    try {
      return await openSealed(channel, ek, importableOf(key), registers);
    } catch (error) {
      throw explained(error, pcrs);
    }
  });
}

function explained(error: unknown, pcrs: readonly number[]): unknown {
  if (!(error instanceof TpmError)) return error;
  if (error.refusal === 'policy not met') {
    const state = `the user data open with PCR ${pcrs.join(', ')} as they were when they were sealed`;
    return new TpmProblem('TpmBootStateChanged', `${state}; they are different now`);
  }
  // A parameter that is none (format 1 of Part 2, 6.6): all of them stood in the stub.
  const isBadParameter = error.refusal === 'other' && (error.code & 0x80) !== 0;
  if (error.refusal === 'not for this key' || isBadParameter)
    return new SealedProblem('SealedDataMismatch', 'the key in the stub was changed after it was sealed');
  return error;
}
