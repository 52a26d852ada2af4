import { pluralize } from '../../../kit/pluralize.ts';
import type { Finding, JournalRecord, StepOutline } from '../../../protocol/journal.ts';
import { historyOf } from '../../engine/history.ts';
import type { Step } from '../../engine/step.ts';
import { command } from '../../steps/commands/command-steps.ts';
import type { CommandSpec } from '../../steps/commands/title.ts';
import { type PlannedStep, stepsOf } from '../../steps/kind/step-kind.ts';
import { keptStep, type LastSuccess } from './last-success.ts';
import { isOfEveryBoot, whyNotRepeated } from './why-not-repeated.ts';

/** What another run makes of one step of the plan. */
export interface Change {
  step: PlannedStep;
  /**
   * `same`: done as it is asked for. `moved`: done at another place, or had its run and failed. `left`: asked for otherwise, and
   * not done again. `failed`: had its run, and is run anew as long as nothing has succeeded.
   */
  what: 'same' | 'moved' | 'new' | 'changed' | 'left' | 'failed';
  /** Why it is left. */
  why?: string;
}

export interface Changes {
  changes: readonly Change[];
  /** What the last success did and nobody asks for any more. Nothing of it is undone. */
  gone: readonly StepOutline[];
}

/** Holds a plan against what the journal says was done. Commands that only moved are the same. */
export function changesOf(
  planned: readonly PlannedStep[],
  records: readonly JournalRecord[],
  last: LastSuccess,
): Changes {
  const history = historyOf(records, last.instance);
  const before = new Set(last.steps.map(({ id }) => id));
  const twins = new Set<string>();
  const changes = planned.map((step): Change => {
    const { ended, superseded } = history.step(step.id, step.digest);
    // What has failed since the last success is due; what had failed before did not keep it from succeeding.
    const isDone = ended !== undefined && (ended.result === 'done' || ended.seq < last.seq);
    const isHere = isDone && !superseded;
    const twin = movedFrom(step, last.steps, twins) ?? (isHere ? step.id : undefined);
    if (twin !== undefined) {
      twins.add(twin);
      return { step, what: isHere && ended.result === 'done' ? 'same' : 'moved' };
    }
    const why = whyNotRepeated(step);
    if (why !== undefined) return { step, what: 'left', why };
    return { step, what: before.has(step.id) && step.kind !== 'command' ? 'changed' : 'new' };
  });
  const others = new Set(planned.filter(({ kind }) => kind !== 'command').map(({ id }) => id));
  const gone = last.steps.filter(({ id }) => !twins.has(id) && !others.has(id));
  return { changes: wholeLists(changes), gone };
}

/** The place where the last success ran the very same command. */
function movedFrom(
  { kind, spec }: PlannedStep,
  steps: readonly StepOutline[],
  twins: ReadonlySet<string>,
): string | undefined {
  if (kind !== 'command') return undefined;
  return steps.find(({ id, digest }) => {
    const place = /^runcmd\/(\d+)$/.exec(id)?.[1];
    if (place === undefined || twins.has(id)) return false;
    const [there] = stepsOf(command, { ...(spec as CommandSpec), index: Number(place) - 1 });
    return there?.digest === digest;
  })?.id;
}

/** Commands of every boot are made to be run again, and share a shell: one that has changed takes all of its list along. */
function wholeLists(changes: readonly Change[]): Change[] {
  const isDue = (kind: string) =>
    changes.some(({ step, what }) => step.kind === kind && (what === 'new' || what === 'changed'));
  const due = ['boot-command', 'boot-script'].filter(isDue);
  return changes.map((change) =>
    due.includes(change.step.kind) && change.what === 'same' ? { ...change, what: 'changed' } : change,
  );
}

/**
 * The steps of a boot of a node whose user data has changed: like cloud-init, which does what belongs to an instance once, it
 * defers what is new or changed to `bootstrap --again`. Commands of every boot, and the network, are as the user data is now.
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
  const message = `The user data has changed since this machine became a node, and ${pluralize(due.length, 'step')} of them ${due.length === 1 ? 'was' : 'were'} not done: ${shown.join(', ')}${more}. slipway bootstrap --again does what may be done on a node.`;
  return [{ severity: 'warning', code: 'NodeLeftAsItIs', message }];
}
