import type { JournalRecord, RunStarted, SequenceEnded, SequenceStarted } from '../../protocol/journal.ts';
import { OUTCOME_VERSION, type Outcome, type StepVerdict } from '../../protocol/outcome.ts';
import { BOOTSTRAPPED, NODE_UNKNOWN } from './outcome.ts';

/** The verdict as the journal has it, where the agent could not write it or somebody took it away. */
export function outcomeOfJournal(
  { instance, mode, agent, boot }: JournalRecord & RunStarted,
  { sequence, time }: JournalRecord & SequenceStarted,
  {
    result,
    exitStatus,
    failure,
    failedStep,
    ms,
    isNodeUnknown,
    time: endedAt,
  }: JournalRecord & SequenceEnded,
  steps: readonly (Pick<StepVerdict, 'id' | 'title' | 'attempts' | 'seconds'> & { state: string })[],
): Outcome {
  const verdicts = steps.map(({ id, title, state, attempts, seconds }): StepVerdict => {
    const done = state === 'done' || state === 'failed' ? state : 'not run';
    return { id, title, result: done, attempts, seconds };
  });
  const failed = failure && (failedStep ?? verdicts.findLast((step) => step.result === 'failed')?.id);
  return {
    version: OUTCOME_VERSION,
    result,
    exitStatus,
    message: failure ? `${failure.cause} ${failure.remedy}` : isNodeUnknown ? NODE_UNKNOWN : BOOTSTRAPPED,
    ...(failure ? { failure } : {}),
    ...(failed ? { step: failed } : {}),
    findings: [],
    steps: verdicts,
    instance,
    boot,
    sequence,
    mode,
    agent,
    startedAt: time,
    endedAt,
    seconds: ms / 1000,
  };
}
