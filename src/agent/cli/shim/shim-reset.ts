import { JOURNAL } from '../../document/paths.ts';
import { machineInstance } from '../../engine/instance.ts';
import { Journal } from '../../engine/journal.ts';
import type { Host } from '../../host/host.ts';
import { forgetAttempt } from '../../kubeadm/repeat/attempt-note.ts';
import { forgetInventory } from '../../kubeadm/repeat/inventory.ts';
import { forgetSuccess } from '../../kubeadm/repeat/succeeded.ts';
import { version } from '../process/version.ts';

/**
 * Writes into the journal that `kubeadm reset` undoes everything, so that a later `join` does not count as
 * finished.
 */
export async function noteReset(host: Host): Promise<void> {
  // The next attempt begins with what the reset leaves.
  await forgetInventory(host);
  await forgetAttempt(host);
  await forgetSuccess(host);
  if ((await host.files.stat(JOURNAL)) === undefined) return;
  const journal = await Journal.open(host);
  const run = host.uuid();
  const instance = await machineInstance(host);
  await journal.append({
    type: 'run.started',
    run,
    instance,
    mode: 'shim',
    agent: version().version,
    pid: process.pid,
  });
  await journal.append({ type: 'node.reset', run });
  await journal.close();
}
