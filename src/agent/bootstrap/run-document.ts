import type { Failure } from '../../protocol/journal.ts';
import { redact } from '../../secrets/redact.ts';
import { rememberSecrets } from '../../secrets/remembered.ts';
import type { Diagnostic, Document } from '../document/document.ts';
import { outcomeWithoutSequence } from '../engine/outcome.ts';
import { recordsOf } from '../engine/parse-journal.ts';
import { configurationProblems } from '../preflight/configuration-problems.ts';
import { knownSecrets } from '../redaction/document-secrets.ts';
import { redactedStep } from '../redaction/redacted-step.ts';
import { stillStarting } from '../startup/starting.ts';
import { openShared, type Shared } from '../steps/kind/shared.ts';
import { loadSteps, type PlannedStep } from '../steps/kind/step-kind.ts';
import { preview, stepsForPlatform } from '../steps/preview.ts';
import { checkCreatesNode } from '../userdata/creates-node.ts';
import { keepExistingNode } from './keep-existing-node.ts';
import { deferChanges } from './lifecycle/changes.ts';
import { findState } from './lifecycle/find-state.ts';
import { type Asked, decide } from './lifecycle/lifecycle.ts';
import { withoutSecrets } from './lifecycle/without-secrets.ts';
import type { BootstrapOptions } from './options.ts';
import { badInput, entryFinding, entryText } from './report-entry.ts';
import { type Ran, type RunOptions, runJournalled } from './run-journalled.ts';
import type { About } from './with-verdict.ts';

type DocumentOptions = RunOptions & Pick<BootstrapOptions, 'askReboot'> & { asked: Asked };

/** Runs of the document's steps what the lifecycle decides, and makes the outcome. Runs nothing if its report has an error. */
export async function runDocument(
  options: DocumentOptions,
  about: About,
  document: Document,
  toPlan: (document: Document, shared: Shared) => PlannedStep[] | Promise<PlannedStep[]>,
): Promise<Ran> {
  const over = new AbortController();
  try {
    if (options.asked !== 'again') await askAhead(options, document, over.signal);
    return await judgeAndRun(options, about, document, toPlan);
  } finally {
    // Nobody asks why, and without a reason Node.js makes an error with its stack.
    over.abort('over');
  }
}

/** What takes time, changes nothing and is wanted only when the steps have come to kubeadm. */
async function askAhead({ host }: DocumentOptions, document: Document, signal: AbortSignal): Promise<void> {
  if (document.commands[0]?.kind !== 'kubeadm' || document.isWiped) return;
  if (document.report.some(({ severity }) => severity === 'error')) return;
  const { prefetchVersions } = await import('../preflight/query-versions.ts');
  await prefetchVersions(host, document, signal);
}

const judgeAndRun: typeof runDocument = async (options, about, document, toPlan) => {
  const { host, watcher, asked } = options;
  // Programs print what they were given, and messages quote it: what is known to be a secret goes nowhere from here.
  rememberSecrets(await knownSecrets(host, document));
  // What calls kubeadm may stand where something could not be read.
  const isAsked = asked !== 'again' && !document.report.some(({ severity }) => severity === 'error');
  const prospect = isAsked ? checkCreatesNode(document) : [];
  const report = [...document.report, ...prospect];
  // User data that did their work, and have lost their secrets since, are not judged again.
  if (!document.isWiped)
    report.push(...(await configurationProblems(document)), ...(await labelReport(options, document)));
  const errors = errorsOf(report);
  // What is not known before is seen by the last step.
  const foreknown = prospect.filter(({ code }) => code !== 'NotKnownToMakeANode');
  const findings = [...document.report, ...foreknown]
    .filter(({ severity }) => severity === 'warning')
    .map(entryFinding);
  const refused = async (failure: Failure): Promise<Ran> =>
    (await keepExistingNode(options, about, failure, findings)) ?? {
      outcome: await outcomeWithoutSequence(host, about, 'bad-input', failure, findings),
      action: 'refuse',
    };
  if (errors.length > 0) return refused(badInput(errors));
  const records = await recordsOf(host);
  if (asked === 'again' || asked === 'retry') {
    const { instanceOf } = await import('./again/plan-again.ts');
    about.instance = instanceOf(document, records) ?? about.instance;
  }
  const shared = openShared(host, document, about.instance, watcher.output.bind(watcher), options.askReboot);
  try {
    const all = await toPlan(document, shared);
    const planned = stepsForPlatform(host, all);
    const found = await findState(host, records, document, planned, about.instance);
    const action = decide(found.state, asked);
    if (action === 'refuse') {
      const { refusal } = await import('./again/plan-again.ts');
      const failure = refusal(found.state, document, records);
      return { outcome: await outcomeWithoutSequence(host, about, 'bad-input', failure), action };
    }
    const lacking =
      action === 'nothing' ? [] : errorsOf(await preview(all, { document, host, moment: 'again' }));
    if (lacking.length > 0) return await refused(badInput(lacking));
    if ('changes' in found && (action === 'apply' || action === 'nothing')) {
      const { applyChanges } = await import('./apply-changes.ts');
      return await applyChanges(options, about, {
        action,
        document,
        planned: all,
        findings,
        shared,
        ...found,
      });
    }
    const loaded = (await loadSteps(planned, shared)).map((step) => redactedStep(step, redact));
    const steps = document.isWiped ? withoutSecrets(loaded, records, about.instance) : loaded;
    const course = { action, steps, findings, document, planned: all };
    if (!('changes' in found) || action !== 'defer') return await runJournalled(options, about, course);
    const deferred = deferChanges(found, steps);
    return await runJournalled(options, about, {
      ...course,
      steps: deferred.steps,
      findings: [...findings, ...deferred.findings],
    });
  } finally {
    await shared.bootShell.close();
    await shared.scriptShell.close();
    await shared.shell.close();
  }
};

const errorsOf = (report: readonly Diagnostic[]): Diagnostic[] =>
  report.filter(({ severity }) => severity === 'error');

/** The pause between two looks at what labels need to know of this machine. */
const LOOK_AGAIN_MS = 500;

/** Looks at the machine only if labels ask for it. What a label tells of may come up with its driver. */
async function labelReport(
  { host, stop, watcher }: Pick<BootstrapOptions, 'host' | 'stop' | 'watcher'>,
  document: Document,
): Promise<Diagnostic[]> {
  if ((document.node?.labels ?? []).length === 0) return [];
  const { labelProblems } = await import('../facts/judge/labels.ts');
  for (let isTold = false; ; isTold = true) {
    const problems = await labelProblems(host, document);
    const missing = problems.find(({ code }) => code === 'UserDataTemplate');
    const starting = missing && (await stillStarting(host, 'MachineNotAsExpected'));
    if (missing === undefined || starting === undefined || stop.aborted) return problems;
    if (!isTold) watcher.output(`slipway: ${entryText(missing)} Looking again: ${starting}`, 'stderr');
    await host.clock.sleep(LOOK_AGAIN_MS, stop).catch(() => undefined);
  }
}
