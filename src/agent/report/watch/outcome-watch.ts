import type { SequenceEndedEvent } from '../../../protocol/events.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { OUTCOME } from '../../../protocol/paths.ts';
import { parseOutcome } from '../../../protocol/read-outcome.ts';
import type { Host } from '../../host/host.ts';
import { asEventFailure } from '../from-journal.ts';

/** outcome.json as it is now; undefined when it is not there or cannot be understood (then the journal tells). */
export async function readOutcome(host: Host): Promise<Outcome | undefined> {
  const bytes = await host.files.readIfPresent(OUTCOME, 1024 * 1024);
  return bytes && parseOutcome(bytes);
}

/** The verdict of a run that the journal has no end of: nothing was begun, or the agent was told to stop. */
export function verdictOf(outcome: Outcome): SequenceEndedEvent {
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
    ...(step === undefined ? {} : { step: { id: step, title: title ?? step } }),
    ...(failure ? { failure: asEventFailure(failure) } : {}),
  };
}
