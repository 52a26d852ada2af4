import type { Failure, Finding, Result } from '../../protocol/journal.ts';
import { OUTCOME_VERSION, type Outcome } from '../../protocol/outcome.ts';
import { OUTCOME, OUTCOME_ASIDE, STATE_DIR } from '../document/paths.ts';
import type { Host } from '../host/host.ts';
import { exitStatusOf, type SequenceResult } from './sequence.ts';

export const BOOTSTRAPPED = 'The machine is bootstrapped.';
export const NODE_UNKNOWN =
  'The user data was applied. Nothing shows whether this machine was to become a node.';

interface About {
  mode: 'bootstrap' | 'shim';
  agent: string;
  instance: string;
}

/** The verdict on a sequence that was run. */
export async function outcomeOf(host: Host, about: About, sequence: SequenceResult): Promise<Outcome> {
  return {
    version: OUTCOME_VERSION,
    result: sequence.result,
    exitStatus: sequence.exitStatus,
    message: messageFor(sequence.result, sequence.failure, sequence),
    ...(sequence.failure ? { failure: sequence.failure } : {}),
    ...(sequence.failedStep ? { step: sequence.failedStep } : {}),
    findings: sequence.findings,
    steps: sequence.steps,
    boot: await host.bootId(),
    sequence: sequence.sequence,
    startedAt: sequence.startedAt,
    endedAt: host.clock.now().toISOString(),
    seconds: sequence.ms / 1000,
    ...about,
  };
}

/** The verdict when the agent could begin nothing: no user data, bad user data, an unwritable journal. */
export async function outcomeWithoutSequence(
  host: Host,
  about: About,
  result: Result,
  failure: Failure,
  findings: Omit<Finding, 'type'>[] = [],
): Promise<Outcome> {
  return withoutSequence(host, about, { result, message: messageFor(result, failure), failure, findings });
}

/** Nothing was to be done and nothing was begun, so the verdict before this one stands. */
export async function outcomeWithoutWork(
  host: Host,
  about: About,
  message: string,
  findings: Omit<Finding, 'type'>[],
): Promise<Outcome> {
  return withoutSequence(host, about, { result: 'succeeded', message, findings });
}

async function withoutSequence(
  host: Host,
  about: About,
  { result, message, ...verdict }: Pick<Outcome, 'result' | 'message' | 'failure' | 'findings'>,
): Promise<Outcome> {
  const now = host.clock.now().toISOString();
  return {
    version: OUTCOME_VERSION,
    result,
    exitStatus: exitStatusOf(result),
    message,
    ...verdict,
    steps: [],
    boot: await host.bootId(),
    sequence: '',
    startedAt: now,
    endedAt: now,
    seconds: 0,
    ...about,
  };
}

/**
 * It is world-readable: it holds no secret, and whoever waits for the machine needs it. It belongs to this
 * boot, as all of /run; the journal holds what must outlast a power loss.
 */
export async function writeOutcome(host: Host, outcome: Outcome): Promise<void> {
  const text = `${JSON.stringify(outcome, undefined, 2)}\n`;
  await host.files.write(OUTCOME, text, { mode: 0o644, volatile: true });
}

/** Takes the place of a /run that is full or read-only: `slipway status` and the reporter look here too. @throws HostError */
export async function writeFallbackOutcome(host: Host, outcome: Outcome): Promise<void> {
  await host.files.mkdir(STATE_DIR, 0o700);
  await host.files.write(OUTCOME_ASIDE, `${JSON.stringify(outcome, undefined, 2)}\n`, { mode: 0o644 });
}

/** Call it when a run begins: an earlier run's verdict is not this one's. */
export async function removeOutcome(host: Host): Promise<void> {
  for (const path of [OUTCOME, OUTCOME_ASIDE]) await host.files.remove(path);
}

function messageFor(
  result: Result,
  failure: Failure | undefined,
  sequence?: Pick<SequenceResult, 'ran' | 'steps' | 'findings'>,
): string {
  if (result === 'succeeded' && sequence?.findings.some(({ code }) => code === 'NotKnownToMakeANode'))
    return NODE_UNKNOWN;
  if (result === 'succeeded' && sequence?.steps.length === 0)
    return 'The user data asks for nothing, and nothing was done.';
  if (result === 'succeeded' && sequence?.ran === 0)
    return 'The machine was bootstrapped before; nothing was left to do.';
  if (result === 'succeeded' || !failure) return BOOTSTRAPPED;
  return `${failure.cause} ${failure.remedy}`;
}
