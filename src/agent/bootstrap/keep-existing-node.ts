import type { Failure, Finding } from '../../protocol/journal.ts';
import { findStateUnusable } from './lifecycle/find-state.ts';
import { keptStep } from './lifecycle/last-success.ts';
import { type Asked, decide } from './lifecycle/lifecycle.ts';
import { type Ran, type RunOptions, runJournalled } from './run-journalled.ts';
import type { About } from './with-verdict.ts';

/**
 * The verdict on a node whose user data cannot be acted upon: all of the last success counts as done, with a warning of what is
 * wrong now.
 *
 * @param wrong Why nothing of them can be acted upon
 * @returns undefined on any other machine, and where somebody asked for these user data; then the failure is the verdict
 */
export async function keepExistingNode(
  options: RunOptions & { asked: Asked },
  about: About,
  wrong: Failure,
  others: readonly Omit<Finding, 'type'>[] = [],
): Promise<Ran | undefined> {
  // An agent that was told to stop has not heard of its source.
  if (options.stop.aborted) return undefined;
  const found = await findStateUnusable(options.host, about.instance);
  if (found.state === 'unusable' || decide(found.state, options.asked) !== 'keep') return undefined;
  const message = `The user data that this machine has now were not acted upon: ${wrong.cause} It is a node, and was left as it is (${wrong.code}).`;
  return runJournalled(options, about, {
    action: 'keep',
    steps: found.last.steps.map((outline) => keptStep(outline)),
    findings: [...others, { severity: 'warning', code: 'NodeLeftAsItIs', message }],
  });
}
