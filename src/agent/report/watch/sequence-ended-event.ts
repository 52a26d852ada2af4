import type { SequenceEndedEvent } from '../../../protocol/events.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { toEventFailure } from '../events/from-journal.ts';

/** The verdict of a run whose end is not in the journal: it began nothing, or somebody stopped the agent. */
export function sequenceEndedEvent(outcome: Outcome): SequenceEndedEvent {
  const { sequence, mode, result, exitStatus, seconds, step, failure, boot } = outcome;
  const title = outcome.steps.find(({ id }) => id === step)?.title;
  return {
    type: 'sequence.ended',
    // Without a sequence of its own, it is one of this boot.
    sequence: sequence || boot,
    mode,
    result,
    exitStatus,
    ms: Math.max(0, Math.round(seconds * 1000)),
    ...(outcome.findings.some(({ code }) => code === 'NotKnownToMakeANode') ? { isNodeUnknown: true } : {}),
    ...(step === undefined ? {} : { step: { id: step, title: title ?? step } }),
    ...(failure ? { failure: toEventFailure(failure) } : {}),
  };
}
