import type { SequenceEndedEvent } from '../../../protocol/events.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { parseOutcome } from '../../../protocol/read-outcome.ts';
import { OUTCOME } from '../../document/paths.ts';
import { type Host, HostError } from '../../host/host.ts';
import { asEventFailure } from '../events/from-journal.ts';

const MAX_BYTES = 1024 * 1024;

/**
 * outcome.json as it is now; undefined when it is not there or is no verdict (then the journal tells).
 *
 * @throws HostError when it is there and cannot be read
 */
export async function readOutcome(host: Host): Promise<Outcome | undefined> {
  try {
    const bytes = await host.files.readIfPresent(OUTCOME, MAX_BYTES);
    return bytes && parseOutcome(bytes);
  } catch (error) {
    if (error instanceof HostError && error.errno === 'EFBIG') return undefined;
    throw error;
  }
}

/** The verdict of a run whose end is not in the journal: it began nothing, or somebody stopped the agent. */
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
