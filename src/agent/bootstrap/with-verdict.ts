import { ExpectedError, errorMessage } from '../../kit/errors.ts';
import type { Code } from '../../protocol/codes/codes.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { presentableTexts } from '../../secrets/redact-texts.ts';
import { OUTCOME_ASIDE } from '../document/paths.ts';
import { codeOf, failure } from '../engine/failure.ts';
import { machineInstance } from '../engine/instance.ts';
import {
  outcomeWithoutSequence,
  removeOutcome,
  writeFallbackOutcome,
  writeOutcome,
} from '../engine/outcome.ts';
import type { Host, Lock } from '../host/host.ts';
import type { BootstrapOptions, VerdictHooks } from './options.ts';

/** Whose verdict it is. */
export type About = { mode: 'bootstrap' | 'shim'; agent: string; instance: string };

/**
 * What every way of running the engine shares: one agent at a time, a verdict whatever happens, the verdict
 * on disk.
 *
 * @throws AgentBusyError when another agent holds the machine.
 */
export async function withVerdict(
  host: Host,
  {
    mode,
    agent,
    fault,
    unwritten,
    isAgain = false,
  }: Omit<About, 'instance'> & VerdictHooks & Pick<BootstrapOptions, 'isAgain'>,
  work: (about: About) => Promise<Outcome>,
): Promise<Outcome> {
  host.processes.nameSelf('slipway');
  const about: About = { mode, agent, instance: 'unknown' };
  let lock: Lock | undefined;
  // What stands in the way before the work begins lies in /run.
  let notWritten: Code = 'OutcomeNotWritten';
  let outcome: Outcome;
  try {
    const answer = await host.lock('agent');
    if ('heldBy' in answer) throw new AgentBusyError(answer.heldBy);
    lock = answer;
    about.instance = await machineInstance(host);
    if (!isAgain) await removeOutcome(host);
    notWritten = 'JournalNotWritten';
    outcome = await Promise.race([work(about), fault]);
  } catch (error) {
    if (error instanceof AgentBusyError) throw error;
    const code = codeOf(error, notWritten);
    const result = code === 'InternalError' ? 'failed' : 'transient';
    outcome = await outcomeWithoutSequence(host, about, result, failure(code, errorMessage(error)));
  }
  outcome = presentableTexts(outcome);
  try {
    // Where nothing was begun, the verdict on what this machine is stands.
    if (!isAgain || outcome.sequence !== '') await writeOutcome(host, outcome);
  } catch (error) {
    const aside = await writeFallbackOutcome(host, outcome).then(
      () => `; it lies in ${OUTCOME_ASIDE} instead`,
      () => '',
    );
    const cause = `The verdict is known and could not be written: ${errorMessage(error)}${aside}`;
    unwritten(failure(codeOf(error, 'OutcomeNotWritten'), cause));
  } finally {
    await lock?.release();
  }
  return outcome;
}

export class AgentBusyError extends ExpectedError {
  override readonly name = 'AgentBusyError';

  constructor(pid: number | undefined) {
    super(`Another slipway process${pid === undefined ? '' : ` (pid ${pid})`} is at work on this machine`);
  }
}
