import { SENTINEL } from '../../document/paths.ts';
import { CodedError, failed } from '../../engine/failure.ts';
import { type Host, HostError } from '../../host/host.ts';
import type { Work } from '../kind/step-kind.ts';

export interface SentinelSpec {
  verb: 'init' | 'join';
  /** The path that Cluster API defines, and the one that the user data names, if it is another. */
  paths: string[];
}

const BECAME = { init: 'The machine has become a control plane', join: 'The machine has joined the cluster' };

/** Tells whoever waits for this machine that kubeadm has succeeded. */
export const announceNode: Work<SentinelSpec> = ({ verb, paths }) => ({
  attempts: Number.POSITIVE_INFINITY,
  // A kubeadm that has run again has made another node.
  restsOn: ['kubeadm'],

  async run({ host }) {
    try {
      await putSentinels(host, BECAME[verb], paths);
      return { done: true };
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      return failed(error.failureCode, error.message);
    }
  },

  // A reboot empties /run.
  async settled(host, isDone) {
    if (isDone) await putSentinels(host, BECAME[verb], paths);
  },
});

/**
 * Writes the sentinels that are not there. Each holds exactly `success\n`, and appears at once.
 *
 * @param became What the machine is by now, as the beginning of a sentence
 * @throws CodedError if one cannot be written
 */
export async function putSentinels(
  host: Host,
  became = 'The machine is a node',
  paths: readonly string[] = [SENTINEL],
): Promise<void> {
  try {
    for (const path of paths)
      if ((await host.files.stat(path)) === undefined)
        await host.files.write(path, 'success\n', { mode: 0o644 });
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    const why = error.message.replace(/^Writing /, '');
    throw new CodedError('SentinelNotWritten', `${became}, but its sentinel cannot be written: ${why}`);
  }
}
