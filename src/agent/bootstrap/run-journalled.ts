import type { Failure, Finding, StepOutline } from '../../protocol/journal.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { Document } from '../document/document.ts';
import { STATE_DIR } from '../document/paths.ts';
import { Journal } from '../engine/journal.ts';
import { removeNoteBesideJournal } from '../engine/last-instance.ts';
import { outcomeOf, outcomeWithoutSequence } from '../engine/outcome.ts';
import { runSequence } from '../engine/run/run-sequence.ts';
import type { SequenceOptions } from '../engine/sequence.ts';
import type { Step } from '../engine/step.ts';
import { stillStarting } from '../startup/starting.ts';
import type { PlannedStep } from '../steps/kind/step-kind.ts';
import { planDigest } from '../steps/plan.ts';
import { preview } from '../steps/preview.ts';
import { findLostRecords } from './lifecycle/find-lost-records.ts';
import type { Action } from './lifecycle/lifecycle.ts';
import { recordDone, recordRetry } from './lifecycle/record-steps.ts';
import { type BootstrapOptions, DEFAULT_DEADLINE_SECONDS } from './options.ts';
import { badInput } from './report-entry.ts';
import type { About } from './with-verdict.ts';

export type RunOptions = Pick<BootstrapOptions, 'host' | 'deadlineSeconds' | 'stop' | 'watcher'> & {
  /** What a success notes of where the user data came from; see `successNote`. */
  seed?: string | null;
} & Pick<SequenceOptions, 'startedAt'>;

/** What the engine is to run. */
interface Course {
  action: Action;
  steps: Step[];
  findings: Omit<Finding, 'type'>[];
  /** Steps that are not done again: in the journal before any other begins, so that no later boot does them. */
  settled?: readonly StepOutline[];
  /** What the steps are of; absent where nothing of the user data is acted upon. */
  document?: Document;
  /** All that the user data asks for, whatever of it runs this time. */
  planned?: readonly PlannedStep[];
}

/** A verdict, and what was decided before it. */
export interface Ran {
  outcome: Outcome;
  action: Action;
}

/** Opens the journal, runs the steps and makes the outcome of it. */
export async function runJournalled(options: RunOptions, about: About, course: Course): Promise<Ran> {
  const { action, document } = course;
  const { host } = options;
  await host.files.mkdir(STATE_DIR, 0o700);
  const journal = await Journal.open(host);
  try {
    const inVain =
      journal.records.length === 0 && document && (await whyInVain(options, document, course.planned ?? []));
    const outcome = inVain
      ? await outcomeWithoutSequence(host, about, 'bad-input', inVain, course.findings)
      : await runSteps(options, about, course, journal);
    return { outcome, action };
  } finally {
    await journal.close();
  }
}

/** Asked before the first change to this machine. */
async function whyInVain(
  { host }: RunOptions,
  document: Document,
  planned: readonly PlannedStep[],
): Promise<Failure | undefined> {
  const found = await preview(planned, { document, host, moment: 'start' });
  const errors = found.filter(({ severity }) => severity === 'error');
  const passing = new Set<string>();
  for (const code of new Set(errors.map((entry) => entry.code)))
    if ((await stillStarting(host, code)) !== undefined) passing.add(code);
  const final = errors.filter(({ code }) => !passing.has(code));
  return final.length > 0 ? badInput(final) : undefined;
}

async function runSteps(
  options: RunOptions,
  about: About,
  course: Course,
  journal: Journal,
): Promise<Outcome> {
  const { host, watcher, startedAt, stop, seed } = options;
  const { action, steps, document, settled } = course;
  const run = { ...about, host, journal, pid: process.pid };
  if (action === 'retry') await recordRetry({ ...run, steps });
  journal.observe((record) => watcher.record(record));
  const findings = [...course.findings, ...(await takeLostForDone(options, run, course))];
  if (settled) {
    const message = 'left as it is: only what has changed is done again';
    await recordDone({ ...run, steps: settled, message });
  }
  const isKept = action === 'defer' || action === 'keep';
  const result = await runSequence({
    ...run,
    steps,
    digest: planDigest(steps),
    findings,
    deadlineSeconds: options.deadlineSeconds ?? document?.deadlineSeconds ?? DEFAULT_DEADLINE_SECONDS,
    ...(startedAt === undefined ? {} : { startedAt }),
    stop,
    uptimeMs: Math.round(1000 * process.uptime()),
    // Where kubeadm is called, it makes the verdict; on a node that is kept, nothing does.
    commandsDecide:
      action === 'apply' || !(isKept || document?.commands.some(({ kind }) => kind === 'kubeadm')),
    // What was not acted upon has not made the node.
    ...(isKept || about.mode === 'shim' ? {} : { note: { seed } }),
    notFinal: (code) => stillStarting(host, code),
    output: watcher.output.bind(watcher),
  });
  const last = journal.records.at(-1);
  if (last?.type === 'sequence.ended' && last.noted) await removeNoteBesideJournal(host);
  return outcomeOf(host, about, result);
}

/** Where the journal has lost what this machine is, and it is a node all the same, nothing is done again. */
async function takeLostForDone(
  { host, stop }: RunOptions,
  run: Omit<Parameters<typeof recordDone>[0], 'steps' | 'message'>,
  { action, steps, document }: Course,
): Promise<Omit<Finding, 'type'>[]> {
  const { journal, instance } = run;
  const lost = await findLostRecords(host, journal, steps, { isWiped: document?.isWiped ?? false, instance });
  if (lost === undefined) return [];
  const { isStillNode } = await import('../steps/kubeadm/still-node.ts');
  const isNode = lost.wasOver && (action === 'keep' || (await isStillNode(host, document?.commands, stop)));
  const message = 'taken for done: the journal was damaged, and the machine is a node';
  if (isNode) await recordDone({ ...run, steps, message });
  // A machine that is none is told what else is wrong.
  if (!isNode && journal.lostBytes === 0) return [];
  const done = isNode ? '; this machine is a node all the same, so nothing was done again' : '';
  return [{ severity: 'warning', code: 'JournalDamaged', message: `${lost.what}${done}` }];
}
