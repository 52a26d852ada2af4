import { rememberSecrets } from '../../secrets/remembered.ts';
import { createHost } from '../create-host.ts';
import type { Document } from '../document/document.ts';
import { JOURNAL } from '../document/paths.ts';
import { areWiped } from '../engine/wiped-note.ts';
import type { Host } from '../host/host.ts';
import { configurationProblems } from '../preflight/configuration-problems.ts';
import { documentSecrets } from '../redaction/document-secrets.ts';
import { plan } from '../steps/plan.ts';
import { preview, stepsForPlatform } from '../steps/preview.ts';
import { unaskedPrograms } from '../steps/unasked-programs.ts';
import { checkCreatesNode } from '../userdata/creates-node.ts';
import { MISSING_PREFIX } from '../userdata/jinja/values/values.ts';
import { loadDocument } from '../userdata/load.ts';
import {
  formatOption,
  requireRoot,
  requireRootDirectory,
  sourceOptions,
  withUsageErrors,
} from './options/options.ts';
import { planAsJson, planAsText } from './text/plan-text.ts';
import { printDiagnostics, printFailure } from './text/print-failure.ts';

export interface PlanFlags {
  userData?: string;
  metaData?: string;
  networkConfig?: string;
  source?: string;
  root: string;
  output: string;
  again?: boolean;
}

/** `slipway plan`: 0 with the steps, 2 with every error of the user data, 75 where there is none or a server may answer later. */
export function planCommand(flags: PlanFlags): Promise<number> {
  return withUsageErrors(async () => {
    const { root, ...files } = sourceOptions(flags);
    const format = formatOption(flags.output);
    if (flags.again && root === '/') requireRoot('read what was done before', 'slipway plan --again');
    const host = createHost({ root });
    // It is over before compiled code would pay.
    host.stayLean();
    await requireRootDirectory(host);
    const answer = await loadDocument(host, files);
    const tell = (plain: unknown): void => {
      if (format === 'json') process.stdout.write(`${JSON.stringify(plain, undefined, 2)}\n`);
    };
    if (answer.kind === 'none') {
      printFailure(answer.failure);
      tell({ failure: answer.failure });
      return answer.permanent ? 2 : 75;
    }
    const { document } = answer;
    rememberSecrets(documentSecrets(document));
    const madeNode = flags.again || isWrong(document.report) ? [] : checkCreatesNode(document);
    const ofText = [...document.report, ...madeNode, ...(await configurationProblems(document))];
    const isNamed = flags.userData !== undefined;
    const read = isNamed && flags.metaData === undefined ? withoutMetaData(ofText) : ofText;
    const all = plan(document);
    const isUntouched = !flags.again && !isWrong(read) && !(await hasBegun(host));
    const moment = isUntouched ? 'plan' : 'again';
    const foreseen = await preview(all, { document, host, moment });
    const ofHost = isNamed ? ofAnyHost(foreseen) : foreseen;
    const report = [...read, ...ofHost, ...(await unaskedPrograms(host))];
    printDiagnostics(report);
    const isBad = isWrong(report);
    if (flags.again && !isBad) {
      const isWiped = await areWiped(host, answer.userData);
      return await tellAgain(host, { ...document, isWiped }, format);
    }
    const steps = isBad ? undefined : stepsForPlatform(host, all);
    tell(planAsJson(document, report, steps));
    if (format === 'text' && steps !== undefined) process.stdout.write(planAsText(document, steps));
    return isBad ? 2 : 0;
  });
}

/** What a bootstrap that goes on finds on the machine is its own work. */
async function hasBegun({ files }: Host): Promise<boolean> {
  return ((await files.stat(JOURNAL).catch(() => undefined))?.size ?? 0) > 0;
}

/** What `slipway bootstrap --again` would do. */
async function tellAgain(host: Host, document: Document, format: 'text' | 'json'): Promise<number> {
  const { planAgain } = await import('../bootstrap/again/plan-again.ts');
  const { changesAsJson, changeLines } = await import('../bootstrap/again/change-lines.ts');
  const again = await planAgain(host, document);
  const isRefused = again.kind === 'refused';
  if (isRefused) printFailure(again.failure);
  const plain = isRefused ? { failure: again.failure } : changesAsJson(again);
  if (format === 'json') process.stdout.write(`${JSON.stringify(plain, undefined, 2)}\n`);
  else if (!isRefused) process.stdout.write(`${changeLines(again).join('\n')}\n`);
  return isRefused ? 2 : 0;
}

const isWrong = (report: Document['report']): boolean => report.some(({ severity }) => severity === 'error');

/** A file of user data without the metadata of its machine: what only that can say is nobody's mistake. */
function withoutMetaData(report: Document['report']): Document['report'] {
  return report.flatMap((entry) => {
    if (!entry.message.includes(MISSING_PREFIX)) return [entry];
    const isOfTemplate = entry.code === 'UserDataTemplate' && entry.severity === 'warning';
    return isOfTemplate
      ? [{ ...entry, message: `${entry.message} Give the metadata of a machine with --meta-data.` }]
      : [];
  });
}

/** A plan of a file may be made on another host than the machine that it is for. */
function ofAnyHost(report: Document['report']): Document['report'] {
  return report.map((entry) => (entry.code === 'ToolMissing' ? { ...entry, severity: 'warning' } : entry));
}
