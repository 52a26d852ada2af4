import type { StepEnded, StepOutline } from '../../../protocol/journal.ts';
import { historyOf } from '../../engine/history.ts';
import type { SequenceOptions } from '../../engine/sequence.ts';
import type { Step } from '../../engine/step.ts';

type Options = Pick<SequenceOptions, 'host' | 'journal' | 'instance' | 'mode' | 'agent' | 'pid'>;

/** Writes into the journal that all these steps are done, and why: none is run again, neither now nor at a later boot. */
export async function recordDone({
  steps,
  message,
  ...options
}: Options & { steps: readonly StepOutline[]; message: string }): Promise<void> {
  await record(
    options,
    steps.map((step) => [step, { result: 'done', message }]),
  );
}

/**
 * Writes into the journal that each of these steps that has failed, and that no start would run again, has another attempt: now,
 * or at a later boot if it does not come to it. So has a step that ended well where the step that proves it has failed. On a
 * machine that was bootstrapped since it writes nothing.
 */
export async function recordRetry({
  steps,
  ...options
}: Options & { steps: readonly Step[] }): Promise<void> {
  const history = historyOf(options.journal.records, options.instance);
  if (history.succeededAt > 0) return;
  const failures = new Map(steps.map((step) => [step.id, history.step(step.id, step.digest).ended?.failure]));
  const ends = steps.flatMap((step): [StepOutline, End][] => {
    const { ended } = history.step(step.id, step.digest);
    if (ended === undefined || ended.retryInMs !== undefined) return [];
    const own = step.onFailure === 'continue' ? ended.failure : undefined;
    const why = own ?? (step.provedBy === undefined ? undefined : failures.get(step.provedBy));
    return why === undefined ? [] : [[step, { result: 'failed', failure: why, retryInMs: 0 }]];
  });
  if (ends.length > 0) await record(options, ends);
}

type End = Pick<StepEnded, 'result' | 'message' | 'failure' | 'retryInMs'>;

async function record(
  { host, journal, instance, mode, agent, pid }: Options,
  ends: readonly [StepOutline, End][],
): Promise<void> {
  await journal.append({ type: 'run.started', run: host.uuid(), instance, mode, agent, pid }, 'with-next');
  for (const [{ id: step, digest }, end] of ends) {
    await journal.append({ type: 'step.started', step, digest, attempt: 1 }, 'with-next');
    await journal.append({ type: 'step.ended', step, digest, attempt: 1, ms: 0, ...end }, 'with-next');
  }
}
