import type { JournalRecord, RunStarted, SequenceEnded, SequenceStarted } from '../../protocol/journal.ts';
import { OUTCOME_VERSION, type Outcome, type StepVerdict } from '../../protocol/outcome.ts';
import { parseOutcome } from '../../protocol/read-outcome.ts';
import { OUTCOME, OUTCOME_ASIDE } from '../document/paths.ts';
import { type Host, HostError } from '../host/host.ts';
import { BOOTSTRAPPED, NODE_UNKNOWN } from './outcome.ts';

const MAX_BYTES = 1024 * 1024;

/**
 * The verdict as it is now; undefined when it is not there or is no verdict (then the journal tells).
 *
 * @throws HostError when it is there and cannot be read
 */
export async function readOutcome(host: Host): Promise<Outcome | undefined> {
  const [usual, aside] = [await read(host, OUTCOME), await readAside(host)];
  return aside !== undefined && aside.endedAt > (usual?.endedAt ?? '') ? aside : usual;
}

/** What lies outside /run may be of an earlier boot, and only root may look there. */
async function readAside(host: Host): Promise<Outcome | undefined> {
  const outcome = await read(host, OUTCOME_ASIDE).catch(() => undefined);
  return outcome?.boot === (await host.bootId()) ? outcome : undefined;
}

async function read(host: Host, path: string): Promise<Outcome | undefined> {
  try {
    const bytes = await host.files.readIfPresent(path, MAX_BYTES);
    return bytes && parseOutcome(bytes);
  } catch (error) {
    if (error instanceof HostError && error.errno === 'EFBIG') return undefined;
    throw error;
  }
}

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
