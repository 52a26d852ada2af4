import { JOURNAL, OUTCOME, OUTCOME_ASIDE, SENTINEL } from '../../document/paths.ts';
import { machineInstance } from '../../engine/instance.ts';
import { Journal } from '../../engine/journal.ts';
import type { Host } from '../../host/host.ts';
import { clearAttempt } from '../../kubeadm/repeat/attempt-note.ts';
import { clearInventory } from '../../kubeadm/repeat/inventory.ts';
import { clearSuccess } from '../../kubeadm/repeat/success-marker.ts';
import { wakeReporter } from '../../tools/wake-reporter.ts';
import { version } from '../process/version.ts';

/** What `kubeadm reset` with these arguments does to the node. */
type ResetKind = 'at once' | 'when it was asked' | 'nothing';

/** Help, a dry run and a single phase leave the node what it is; without --force kubeadm asks first. */
export function kindOfReset(args: readonly string[]): ResetKind {
  const isOn = (flag: string) => args.some((word) => word === flag || word === `${flag}=true`);
  if (args.includes('phase') || ['-h', '--help', '--dry-run'].some(isOn)) return 'nothing';
  return isOn('-f') || isOn('--force') ? 'at once' : 'when it was asked';
}

/**
 * Takes back what was said of the node: the sentinel and the verdict, and in the journal, so that a later `join` does not count
 * as finished. The reporter tells it.
 */
export async function recordReset(host: Host): Promise<void> {
  // The next attempt begins with what the reset leaves.
  await clearInventory(host);
  await clearAttempt(host);
  await clearSuccess(host);
  if ((await host.files.stat(JOURNAL)) !== undefined) await noteInJournal(host);
  for (const path of [SENTINEL, OUTCOME, OUTCOME_ASIDE]) await host.files.remove(path);
  await wakeReporter(host);
}

async function noteInJournal(host: Host): Promise<void> {
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
