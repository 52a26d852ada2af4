import type { Failure, Finding, Result, StepEnded } from '../../../protocol/journal.ts';
import type { SequenceOptions } from '../sequence.ts';
import type { Step } from '../step.ts';

const TOLD = 'Nothing was tried now: the step had its run before, and how that ended is told again.';
const ANEW = 'slipway bootstrap --again then runs it anew and goes on; what is done is not done twice.';
const UNTIL = 'Until the machine is bootstrapped, slipway bootstrap --again runs it anew.';
const BY_HAND = 'The machine is bootstrapped since, so no start runs it: do by hand what it was to do.';

/** How a sequence or a step ends. */
export type Verdict = {
  result: Result;
  failure?: Failure;
  step?: string;
  /** An earlier run came to it, and nothing was tried in this one: before the machine was bootstrapped, or since. */
  toldAgain?: 'bootstrapped since' | 'not yet bootstrapped';
};

/** Does the sequence end with it? */
export const stopsSequence = ({ onFailure = 'stop' }: Step): boolean => onFailure === 'stop';

/**
 * Does a start run by itself what an earlier one could not do? Always what ends the sequence. Else never on a machine that is
 * bootstrapped since, and never a command, which may do harm when it runs twice. What the user data only describe does none:
 * it is tried again where it makes the verdict; beside a kubeadm that makes it, a start does not wait for it again.
 *
 * @param succeededAt where in the journal the last success stands
 */
export function shouldRunAgain(
  step: Step,
  { retryInMs, result, failure, seq }: StepEnded & { seq: number },
  {
    mode,
    commandsDecide,
    succeededAt,
  }: Pick<SequenceOptions, 'mode' | 'commandsDecide'> & { succeededAt: number },
): boolean {
  if (retryInMs !== undefined) return true;
  if (result === 'done') return false;
  if (stopsSequence(step)) return true;
  if (seq < succeededAt) return false;
  return isOfAbsence(failure) || (step.group === undefined && (mode === 'shim' || commandsDecide));
}

/** Nothing was begun, and another look costs nothing. */
const isOfAbsence = (failure: Failure | undefined): boolean => failure?.code === 'ToolMissing';

/** The end of a step as the verdict on the sequence; with the way to try anew, where no start does that by itself. */
export function toSequenceVerdict(step: Step, { toldAgain, failure, ...end }: Verdict): Verdict {
  const verdict = { ...end, step: step.id };
  if (failure === undefined) return verdict;
  const isCommand = step.group !== undefined && !stopsSequence(step) && end.result === 'failed';
  return {
    ...verdict,
    failure: {
      ...failure,
      cause: toldAgain ? `${failure.cause} ${TOLD}` : failure.cause,
      remedy: isCommand && !isOfAbsence(failure) ? `${failure.remedy} ${ANEW}` : failure.remedy,
    },
  };
}

const LONGEST = 300;

/** The last words of a command, of which a finding holds nothing else. */
function printed(lines: readonly string[]): string {
  const last = lines.findLast((line) => line.trim() !== '')?.trim();
  if (last === undefined) return ' It printed nothing.';
  return ` The last line that it printed: ${last.length > LONGEST ? `${last.slice(0, LONGEST - 1)}…` : last}`;
}

/** The same where the sequence goes on. */
export function toFinding(
  step: Step,
  { code, cause, lines = [] }: Failure,
  toldAgain: Verdict['toldAgain'],
): Omit<Finding, 'type'> {
  const told = cause.includes(step.title) ? cause : `${step.title}: ${cause}`;
  const said = step.group === undefined ? told : `${told}${printed(lines)}`;
  const way = toldAgain === 'bootstrapped since' ? BY_HAND : UNTIL;
  return { severity: 'warning', code, message: toldAgain ? `${said} ${TOLD} ${way}` : said };
}
