import type { StepOutline } from '../../protocol/journal.ts';
import type { SequenceOptions } from './sequence.ts';

/** Writes into the journal that all these steps are done, and why: none is run again, neither now nor at a later boot. */
export async function recordDone({
  host,
  journal,
  steps,
  instance,
  mode,
  agent,
  pid,
  message,
}: Pick<SequenceOptions, 'host' | 'journal' | 'instance' | 'mode' | 'agent' | 'pid'> & {
  steps: readonly StepOutline[];
  message: string;
}): Promise<void> {
  await journal.append({ type: 'run.started', run: host.uuid(), instance, mode, agent, pid }, 'with-next');
  for (const { id: step, digest } of steps) {
    await journal.append({ type: 'step.started', step, digest, attempt: 1 }, 'with-next');
    const end = { attempt: 1, result: 'done', ms: 0, message } as const;
    await journal.append({ type: 'step.ended', step, digest, ...end }, 'with-next');
  }
}
