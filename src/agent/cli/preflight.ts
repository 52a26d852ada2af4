import { formatMs } from '../../kit/duration.ts';
import { visibleTexts } from '../../kit/terminal/visible.ts';
import { createHost } from '../create-host.ts';
import type { Document, KubeadmCommand } from '../document/document.ts';
import { machineInstance } from '../engine/instance.ts';
import { labelProblems } from '../facts/judge/labels.ts';
import { type Host, HostError } from '../host/host.ts';
import { KubeadmCall } from '../kubeadm/config/call.ts';
import { type CallReading, readCall } from '../kubeadm/config/read-call.ts';
import { checkMachine } from '../preflight/check-machine.ts';
import type { PreflightFinding } from '../preflight/checks/check.ts';
import { fileOf, kubeadmCommandOf } from '../preflight/from-document.ts';
import type { PreflightResult } from '../preflight/run-checks.ts';
import { withStart } from '../startup/starting.ts';
import { loadDocument } from '../userdata/load.ts';
import { formatOption, requireRoot, sourceOptions, withUsageErrors } from './options/options.ts';
import { printDiagnostics, printFailure } from './text/print-failure.ts';

interface PreflightFlags {
  userData?: string;
  metaData?: string;
  mend?: boolean;
  output: string;
}

/** `slipway preflight`: 0 when kubeadm would go on, 1 with a fatal finding, 2 with bad user data or arguments. */
export function preflightCommand(flags: PreflightFlags): Promise<number> {
  return withUsageErrors(async () => {
    const format = formatOption(flags.output);
    const { root, ...files } = sourceOptions({ ...flags, root: '/' });
    const host = createHost({ root });
    let document: Document | undefined;
    if (files.userDataFile !== undefined) {
      const answer = await loadDocument(host, files);
      if (answer.kind === 'none') {
        printFailure(answer.failure);
        return 2;
      }
      document = answer.document;
      document.report.push(...(await labelProblems(host, document)));
      const errors = document.report.filter(({ severity }) => severity === 'error');
      printDiagnostics(errors);
      if (errors.length > 0) return 2;
    }
    const command = document && kubeadmCommandOf(document);
    if (document !== undefined && command === undefined) {
      process.stderr.write('slipway: the user data has no kubeadm command, so only the machine is checked\n');
    }
    const result = await checkAsRoot(host, {
      call: document && command && (await readingOf(host, document, command)),
      instance: await machineInstance(host),
      mend: flags.mend === true,
      expect: document?.node?.expect,
    });
    const findings = await Promise.all(
      result.findings.map(async (finding) =>
        finding.severity === 'mended'
          ? finding
          : { ...finding, message: await withStart(host, finding.code, finding.message) },
      ),
    );
    const told = visibleTexts({ ...result, findings });
    process.stdout.write(format === 'json' ? asJson(told) : asText(told));
    return result.findings.some(({ severity }) => severity === 'fatal') ? 1 : 0;
  });
}

/** Everybody can have a machine checked, but for one on which Slipway was at work. @throws UsageError */
const checkAsRoot: typeof checkMachine = async (...asked) => {
  try {
    return await checkMachine(...asked);
  } catch (error) {
    if (error instanceof HostError && error.errno === 'EACCES')
      requireRoot('check a machine that Slipway has worked on', 'slipway preflight');
    throw error;
  }
};

/** The configuration as the user data writes it, else as it is on the machine. */
async function readingOf(host: Host, document: Document, command: KubeadmCommand): Promise<CallReading> {
  const text = fileOf(document, command.configPath);
  return text === undefined ? new KubeadmCall(host, command).read() : readCall(command, text);
}

const RANK = { fatal: 0, warning: 1, mended: 2 } as const;

function asText({ findings, unanswered, ms }: PreflightResult): string {
  const sorted = findings.toSorted((a, b) => RANK[a.severity] - RANK[b.severity]);
  const lines = sorted.map(
    ({ severity, message, code, remedy }) =>
      `${severity}: ${message} [${code}]${severity === 'mended' ? '' : `\n  ${remedy}`}`,
  );
  const count = (wanted: PreflightFinding['severity']): number =>
    findings.filter(({ severity }) => severity === wanted).length;
  const warnings = count('warning');
  const sum = `${count('fatal')} fatal, ${warnings} warning${warnings === 1 ? '' : 's'}, ${count('mended')} mended (${formatMs(ms)})`;
  return `${[...lines, ...unanswered.map((what) => `not checked: ${what}`), sum].join('\n')}\n`;
}

function asJson({ findings, unanswered, ms }: PreflightResult): string {
  const passed = !findings.some(({ severity }) => severity === 'fatal');
  return `${JSON.stringify({ version: 1, passed, findings, unanswered, ms: Math.round(ms) }, undefined, 2)}\n`;
}
