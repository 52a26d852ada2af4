import { pluralize } from '../../../kit/pluralize.ts';
import type { Finding } from '../../../protocol/journal.ts';
import type { Step } from '../../engine/step.ts';
import type { Change, Changes } from './changes.ts';
import { keptStep } from './kept-step.ts';
import type { LastSuccess } from './last-success.ts';
import { isOfEveryBoot } from './why-not-repeated.ts';

/**
 * The steps of a boot of a node whose user data have changed: like cloud-init, which does what belongs to an instance once, it
 * defers what is new or changed to `bootstrap --again`. Commands of every boot, and the network, are as the user data are now.
 *
 * @param steps All steps of these user data
 */
export function deferChanges(
  { changes, last }: Pick<Changes, 'changes'> & { last: LastSuccess },
  steps: readonly Step[],
): { steps: Step[]; findings: Omit<Finding, 'type'>[] } {
  const others = changes.filter(({ step, what }) => what !== 'same' && !isOfEveryBoot(step));
  const before = new Map(last.steps.map((outline) => [outline.id, outline]));
  const deferred = new Set(others.map(({ step }) => step.id));
  const present = steps.flatMap((step) => {
    const outline = before.get(step.id);
    if (!deferred.has(step.id)) return [step];
    return outline ? [keptStep(outline, step)] : [];
  });
  const ids = new Set(steps.map(({ id }) => id));
  const gone = last.steps.filter(({ id }) => !ids.has(id)).map((outline) => keptStep(outline));
  return { steps: [...present, ...gone], findings: warning(others) };
}

function warning(others: readonly Change[]): Omit<Finding, 'type'>[] {
  const due = others.filter(({ what }) => what !== 'moved');
  if (due.length === 0) return [];
  const shown = due.slice(0, 5).map(({ step, what }) => `${step.id} (${what === 'new' ? 'new' : 'changed'})`);
  const more = due.length > shown.length ? ` and ${due.length - shown.length} more` : '';
  const message = `The user data have changed since this machine became a node, and ${pluralize(due.length, 'step')} of them ${due.length === 1 ? 'was' : 'were'} not done: ${shown.join(', ')}${more}. slipway bootstrap --again does what may be done on a node.`;
  return [{ severity: 'warning', code: 'NodeLeftAsItIs', message }];
}
