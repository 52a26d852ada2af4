import type { SequenceOptions } from './engine.ts';

/**
 * Writes into a journal that has lost its past that all these steps are done, for a machine that is a node
 * all the same: nothing is run again then, neither now nor at a later boot.
 */
export async function recordDone({
  host,
  journal,
  steps,
  instance,
  mode,
  agent,
  pid,
}: Pick<
  SequenceOptions,
  'host' | 'journal' | 'steps' | 'instance' | 'mode' | 'agent' | 'pid'
>): Promise<void> {
  await journal.append({ type: 'run.started', run: host.uuid(), instance, mode, agent, pid }, 'with-next');
  for (const { id: step, digest } of steps) {
    await journal.append({ type: 'step.started', step, digest, attempt: 1 }, 'with-next');
    const message = 'taken for done: the journal was damaged, and the machine is a node';
    const end = { attempt: 1, result: 'done', ms: 0, message } as const;
    await journal.append({ type: 'step.ended', step, digest, ...end }, 'with-next');
  }
}
