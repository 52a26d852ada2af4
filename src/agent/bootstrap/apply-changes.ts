import type { Finding } from '../../protocol/journal.ts';
import { redact } from '../../secrets/redact.ts';
import type { Document } from '../document/document.ts';
import { outcomeWithoutWork } from '../engine/outcome.ts';
import { redactedStep } from '../redaction/redacted-step.ts';
import type { Shared } from '../steps/kind/shared.ts';
import type { PlannedStep } from '../steps/kind/step-kind.ts';
import { changeLines } from './again/change-lines.ts';
import { loadChangedSteps } from './again/load-changed-steps.ts';
import { dueSteps, messageFor, settledSteps } from './again/plan-again.ts';
import type { Changes } from './lifecycle/changes.ts';
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
