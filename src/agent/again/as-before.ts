import type { StepOutline } from '../../protocol/journal.ts';
import { SENTINEL } from '../document/paths.ts';
import { writeSentinel } from '../engine/outcome.ts';
import type { Step } from '../engine/step.ts';
import type { Host } from '../host/host.ts';

/** The step of the last success, which the journal knows as done; what a reboot takes of it from /run is still put back. */
export function asBefore({ id, title, digest }: StepOutline, step: Partial<Step> = {}): Step {
  const settled = step.settled ?? (id === 'kubeadm' ? putSentinelBack : undefined);
  const run: Step['run'] = async () => ({ done: true, message: 'left as it is' });
  return { id, title, digest, run, ...(settled ? { settled } : {}) };
}

async function putSentinelBack(host: Host): Promise<void> {
  if ((await host.files.stat(SENTINEL)) === undefined) await writeSentinel(host);
}
