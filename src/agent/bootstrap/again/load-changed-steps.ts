import type { Step, StepWork } from '../../engine/step.ts';
import type { Shared } from '../../steps/kind/shared.ts';
import type { PlannedStep } from '../../steps/kind/step-kind.ts';
import type { Change } from '../lifecycle/changes.ts';
import { restarting, restartingByFiles } from './restart-units.ts';

/**
 * The steps of another run, under the ids and digests of the whole document, so that later boots know them as done. What is
 * not due has its place, and does nothing.
 *
 * @param due The plan with the files alone that are not as they should be
 */
export async function loadChangedSteps(
  changes: readonly Change[],
  due: readonly PlannedStep[],
  shared: Shared,
): Promise<Step[]> {
  const byId = new Map(due.map((step) => [step.id, step]));
  return Promise.all(
    changes.map(async ({ step: { id, title, digest, kind }, what }) => {
      const isDue = what === 'new' || what === 'changed';
      const work = isDue ? await loaded(kind, byId.get(id), shared) : { run: asItWas };
      return { ...work, id, title, digest };
    }),
  );
}

/** Kinds of steps that write what units run by. */
const RESTARTING: Readonly<Record<string, typeof restarting>> = {
  units: restarting,
  files: restartingByFiles,
  tree: restartingByFiles,
};

async function loaded(kind: string, step: PlannedStep | undefined, shared: Shared): Promise<StepWork> {
  if (step === undefined) return { run: asItWas };
  const { renew: _, ...work } = await step.load(shared);
  return { ...(RESTARTING[kind]?.(step, work) ?? work), redo: true };
}

const asItWas: Step['run'] = async () => ({ done: true, message: 'left as it is' });
