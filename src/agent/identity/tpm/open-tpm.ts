import type { TpmChannel } from '../../../tpm/channel.ts';
import { type Host, HostError } from '../../host/host.ts';
import { TpmProblem } from './tpm-problem.ts';

/**
 * Opens the machine's TPM. What the device itself refuses, now or later, is told as the TPM's problem, so that nobody takes it
 * for the network's.
 *
 * @throws TpmProblem
 */
export async function openMachineTpm(host: Host, path: string): Promise<TpmChannel> {
  const channel = await asProblem(() => host.tpm(path));
  if (!channel) throw new TpmProblem('TpmAbsent', `there is no ${path}`);
  return { ...channel, transmit: (command) => asProblem(() => channel.transmit(command)) };
}

async function asProblem<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HostError) throw new TpmProblem('TpmFailed', error.message);
    throw error;
  }
}
