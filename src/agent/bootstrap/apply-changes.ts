import type { Finding } from '../../protocol/journal.ts';
import { redact } from '../../secrets/redact.ts';
import type { Document } from '../document/document.ts';
import { outcomeWithoutWork } from '../engine/outcome.ts';
import type { Step, StepWork } from '../engine/step.ts';
import { redactedStep } from '../redaction/redacted-step.ts';
import type { Shared } from '../steps/kind/shared.ts';
import type { PlannedStep } from '../steps/kind/step-kind.ts';
import { changeLines } from './again/change-lines.ts';
import { dueSteps, messageFor, settledSteps } from './again/plan-again.ts';
import { restarting, restartingByFiles } from './again/restart-units.ts';
import type { Change, Changes } from './lifecycle/changes.ts';
import { type Ran, type RunOptions, runJournalled } from './run-journalled.ts';
import type { About } from './with-verdict.ts';

interface ToApply extends Changes {
  action: 'apply' | 'nothing';
  document: Document;
  planned: readonly PlannedStep[];
  findings: Omit<Finding, 'type'>[];
  shared: Shared;
}

/** Says what has changed since the last success, and runs it. */
export async function applyChanges(options: RunOptions, about: About, given: ToApply): Promise<Ran> {
  const { host, watcher } = options;
  const { action, document, planned, findings, shared, changes } = given;
  const due = await dueSteps(host, document);
  const detailed = due.filter(({ kind }) => kind === 'files' || kind === 'tree');
  for (const line of changeLines({ ...given, due: detailed })) watcher.output(`slipway: ${line}`, 'stderr');
  const message = messageFor(changes);
  if (action === 'nothing')
    return { outcome: await outcomeWithoutWork(host, about, message, findings), action };
  const steps = (await loadChangedSteps(changes, due, shared)).map((step) => redactedStep(step, redact));
  const settled = settledSteps(changes);
  const ran = await runJournalled(options, about, { action, steps, findings, settled, document, planned });
  const { outcome } = ran;
  return outcome.result === 'succeeded' ? { ...ran, outcome: { ...outcome, message } } : ran;
}

/**
 * The steps of another run, under the ids and digests of the whole document, so that later boots know them as done. What is
 * not due has its place, and does nothing.
 *
 * @param due The plan with the files alone that are not as they should be
 */
async function loadChangedSteps(
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
