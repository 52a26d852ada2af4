import type { Failure } from '../../protocol/journal.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { remember } from '../../secrets/known.ts';
import { redact } from '../../secrets/redact.ts';
import type { Document, ReportEntry } from '../document/document.ts';
import { failure } from '../engine/failure.ts';
import { outcomeOfNothing, outcomeWithoutSequence } from '../engine/outcome.ts';
import type { SequenceOptions } from '../engine/sequence.ts';
import type { Step } from '../engine/step.ts';
import { configurationReport } from '../preflight/configuration-report.ts';
import { knownSecrets } from '../redaction/document-secrets.ts';
import { hiddenStep } from '../redaction/hidden-step.ts';
import { stillStarting } from '../startup/starting.ts';
import { openShared, type Shared } from '../steps/kind/shared.ts';
import { loadSteps, type PlannedStep } from '../steps/kind/step-kind.ts';
import { planDigest } from '../steps/plan.ts';
import { preview, stepsForPlatform } from '../steps/preview.ts';
import { checkMakesNode } from '../userdata/makes-node.ts';
import { asNode } from './as-node.ts';
import { labelReport } from './label-report.ts';
import type { BootstrapOptions } from './options.ts';
import { entryFinding, entryText } from './report-entry.ts';
import { runJournalled } from './run-journalled.ts';
import type { About } from './with-verdict.ts';

type RunOptions = Pick<
  BootstrapOptions,
  'host' | 'deadlineSeconds' | 'stop' | 'watcher' | 'askReboot' | 'isAgain'
> & {
  /** Steps that have failed and had their run are run anew. */
  isAnew?: boolean;
  /** Called where a boot leaves these user data to another run; nobody is to take them away then. Without it all is done. */
  onLeft?: () => void;
} & Pick<SequenceOptions, 'note'>;

/** Runs the document's steps and makes the outcome. Runs nothing if its report has an error. */
export async function runDocument(
  options: RunOptions,
  about: About,
  document: Document,
  toPlan: (document: Document, shared: Shared) => PlannedStep[] | Promise<PlannedStep[]>,
): Promise<Outcome> {
  const over = new AbortController();
  try {
    if (!options.isAgain) await askAhead(options, document, over.signal);
    return await judgeAndRun(options, about, document, toPlan);
  } finally {
    // Nobody asks why, and without a reason Node.js makes an error with its stack.
    over.abort('over');
  }
}

/** What takes time, changes nothing and is wanted only when the steps have come to kubeadm. */
async function askAhead({ host }: RunOptions, document: Document, signal: AbortSignal): Promise<void> {
  if (document.commands[0]?.kind !== 'kubeadm' || document.isWiped) return;
  if (document.report.some(({ severity }) => severity === 'error')) return;
  const { askVersionsAhead } = await import('../preflight/ask-versions.ts');
  await askVersionsAhead(host, document, signal);
}

const judgeAndRun: typeof runDocument = async (options, about, document, toPlan) => {
  const { host, watcher } = options;
  // Programs print what they were given, and messages quote it: what is known to be a secret goes nowhere from here.
  remember(await knownSecrets(host, document));
  // What calls kubeadm may stand where something could not be read.
  const isAsked = !options.isAgain && !document.report.some(({ severity }) => severity === 'error');
  const prospect = isAsked ? checkMakesNode(document) : [];
  const report = [...document.report, ...prospect];
  // User data that did their work, and have lost their secrets since, are not judged again.
  if (!document.isWiped)
    report.push(...(await configurationReport(document)), ...(await labelReport(options, document)));
  const errors = errorsOf(report);
  // What is not known before is seen by the last step.
  const foreknown = prospect.filter(({ code }) => code !== 'NotKnownToMakeANode');
  const findings = [...document.report, ...foreknown]
    .filter(({ severity }) => severity === 'warning')
    .map(entryFinding);
  const refused = async (failure: Failure) =>
    (await asNode(options, about, failure, findings)) ??
    outcomeWithoutSequence(host, about, 'bad-input', failure, findings);
  if (errors.length > 0) return refused(badInput(errors));
  const again = options.isAgain ? await whatHasChanged(options, document) : undefined;
  if (again?.kind === 'refused') return outcomeWithoutSequence(host, about, 'bad-input', again.failure);
  if (again?.isNothing) return outcomeOfNothing(host, about, again.message, findings);
  if (again) about.instance = again.instance;
  const shared = openShared(host, document, about.instance, watcher.output.bind(watcher), options.askReboot);
  try {
    const all = await toPlan(document, shared);
    const lacking = errorsOf(await preview(all, { document, host, moment: 'again' }));
    if (lacking.length > 0) return await refused(badInput(lacking));
    const planned = stepsForPlatform(host, all);
    const steps = again ? await again.load(shared) : await loadSteps(planned, shared);
    const hidden = steps.map((step) => hiddenStep(step, redact));
    const outcome = await runJournalled({
      ...options,
      about,
      steps: hidden,
      digest: planDigest(planned),
      findings,
      isWiped: document.isWiped ?? false,
      refuse: async () => {
        const errors = errorsOf(await preview(all, { document, host, moment: 'start' }));
        const passing = new Set<string>();
        for (const code of new Set(errors.map((entry) => entry.code)))
          if ((await stillStarting(host, code)) !== undefined) passing.add(code);
        const final = errors.filter(({ code }) => !passing.has(code));
        return final.length > 0 ? badInput(final) : undefined;
      },
      ...(again ? { settled: again.settled } : {}),
      ...(again || document.isWiped ? {} : leaving(options, about, planned, hidden)),
      commandsDecide: again !== undefined || !planned.some(({ kind }) => kind === 'kubeadm'),
      isStillNode: async () => {
        const command = document.commands.find((entry) => entry.kind === 'kubeadm');
        if (command === undefined) return false;
        const { isStillNode } = await import('../steps/kubeadm/still-node.ts');
        return isStillNode(host, command.verb, shared.call(command), options.stop);
      },
    });
    return again && outcome.result === 'succeeded' ? { ...outcome, message: again.message } : outcome;
  } finally {
    await shared.bootShell.close();
    await shared.scriptShell.close();
    await shared.shell.close();
  }
};

function leaving(
  { host, onLeft }: Pick<RunOptions, 'host' | 'onLeft'>,
  about: About,
  planned: readonly PlannedStep[],
  steps: readonly Step[],
): Pick<Parameters<typeof runJournalled>[0], 'leave'> {
  if (onLeft === undefined) return {};
  return {
    async leave(records) {
      if (records.length === 0) return undefined;
      const { deferChanges } = await import('./lifecycle/defer-changes.ts');
      const left = await deferChanges(host, planned, steps, records, about.instance);
      if (left) onLeft();
      return left;
    },
  };
}

const errorsOf = (report: readonly ReportEntry[]): ReportEntry[] =>
  report.filter(({ severity }) => severity === 'error');

function badInput(wrong: readonly ReportEntry[]): Failure {
  const [first, ...others] = wrong as [ReportEntry, ...ReportEntry[]];
  const more = others.length > 0 ? ` (and ${others.length} more)` : '';
  return failure(first.code, `${entryText(first)}${more}`, { lines: others.slice(0, 3).map(entryText) });
}

/** Told before anything is done. */
async function whatHasChanged(
  { host, watcher }: Pick<BootstrapOptions, 'host' | 'watcher'>,
  document: Document,
) {
  const { planAgain } = await import('./again/plan-again.ts');
  const again = await planAgain(host, document);
  if (again.kind === 'refused') return again;
  const { changeLines } = await import('./again/change-lines.ts');
  const due = again.due.filter(({ kind }) => kind === 'files' || kind === 'tree');
  for (const line of changeLines({ ...again, due })) watcher.output(`slipway: ${line}`, 'stderr');
  return again;
}
