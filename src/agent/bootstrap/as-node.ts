import type { Failure, Finding } from '../../protocol/journal.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { planDigest } from '../steps/plan.ts';
import type { BootstrapOptions } from './options.ts';
import { runJournalled } from './run-journalled.ts';
import type { About } from './with-verdict.ts';

type NodeOptions = Pick<BootstrapOptions, 'host' | 'deadlineSeconds' | 'stop' | 'watcher' | 'isAgain'> & {
  /** Called where a boot leaves user data to another run. Without it every verdict is on the user data. */
  onLeft?: () => void;
};

/**
 * The verdict of a boot whose user data cannot be acted upon, on a machine that is a node by what it had before: it is as it was,
 * with a warning of what is wrong now. Undefined on any other machine, and where somebody asked for these user data.
 */
export async function asNode(
  options: NodeOptions,
  about: About,
  wrong: Failure,
  others: readonly Omit<Finding, 'type'>[] = [],
): Promise<Outcome | undefined> {
  const { host, isAgain, onLeft, stop } = options;
  if (isAgain || onLeft === undefined || stop.aborted) return undefined;
  const { keepExistingNode } = await import('./lifecycle/keep-existing-node.ts');
  const left = await keepExistingNode(host, about.instance, wrong);
  if (left === undefined) return undefined;
  onLeft();
  return runJournalled({
    ...options,
    about,
    steps: left.steps,
    digest: planDigest(left.steps),
    findings: [...others, ...left.findings],
    isWiped: false,
    commandsDecide: false,
    isStillNode: async () => true,
  });
}
