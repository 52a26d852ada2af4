import type { JournalRecord, StepOutline } from '../../../protocol/journal.ts';
import { historyOf } from '../../engine/history.ts';
import { command } from '../../steps/commands/command-steps.ts';
import type { CommandSpec } from '../../steps/commands/title.ts';
import { type PlannedStep, stepsOf } from '../../steps/kind/step-kind.ts';
import type { LastSuccess } from './last-success.ts';
import { whyNotRepeated } from './why-not-repeated.ts';

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
