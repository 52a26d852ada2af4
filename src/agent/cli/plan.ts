import { digest } from '../../kit/digest.ts';
import { redact } from '../../kit/redact.ts';
import type { Document } from '../../protocol/document.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { plan, planDigest } from '../plan/plan.ts';
import type { PlannedStep } from '../plan/planned-step.ts';
import { checkDocument } from '../preflight/check-document.ts';
import { loadDocument } from '../userdata/load.ts';
import { complain } from './complain.ts';
import { formatOption, sourceOptions, withUsage } from './options.ts';

export interface PlanFlags {
  userData?: string;
  metaData?: string;
  root: string;
  output: string;
}

/** `slipway plan`: 0 with the steps, 2 with every error of the user data, 75 where there is none. */
export function planCommand(flags: PlanFlags): Promise<number> {
  return withUsage(async () => {
    const { root, ...files } = sourceOptions(flags);
    const format = formatOption(flags.output);
    const answer = await loadDocument(createLinuxHost({ root }), files);
    if (answer.kind === 'none') {
      complain(answer.failure);
      return answer.permanent ? 2 : 75;
    }
    const { document } = answer;
    const report = [...document.report, ...checkDocument(document)];
    for (const entry of report) process.stderr.write(`slipway: ${describeEntry(entry)}\n`);
    if (report.some(({ severity }) => severity === 'error')) return 2;
    const steps = plan(document);
    process.stdout.write(format === 'json' ? asJson(document, steps) : asText(document, steps));
    return 0;
  });
}

function describeEntry({ severity, code, message, where }: Document['report'][number]): string {
  return `${severity}: user data${where ? ` line ${where.line}, column ${where.column}` : ''}: ${message} [${code}]`;
}

function asText(document: Document, steps: PlannedStep[]): string {
  const lines = [
    `${document.format} from ${document.instance.source}, ${steps.length} steps, digest ${planDigest(steps)}`,
  ];
  steps.forEach((step, index) => {
    lines.push(
      `${String(index + 1).padStart(3)}  ${step.id.padEnd(14)} ${step.title}  (${step.digest.slice(0, 12)})`,
    );
    for (const detail of details(step)) lines.push(`${' '.repeat(20)}${detail}`);
  });
  return `${lines.join('\n')}\n`;
}

function asJson(document: Document, steps: PlannedStep[]): string {
  const plain = {
    format: document.format,
    source: document.instance.source,
    instance: document.instance.id,
    digest: planDigest(steps),
    steps: steps.map((step) => ({
      id: step.id,
      kind: step.kind,
      title: step.title,
      digest: step.digest,
      details: details(step),
    })),
  };
  return `${JSON.stringify(plain, undefined, 2)}\n`;
}

/** What a step will do, without what may be secret: contents by size and digest, commands redacted. */
function details(step: PlannedStep): string[] {
  switch (step.kind) {
    case 'files':
      return step.spec.entries.map(({ path, content, mode, owner, append }) => {
        const bytes = content.reveal();
        const how = append ? 'append' : 'write';
        return `${how} ${path} ${mode.toString(8).padStart(4, '0')} ${owner} ${bytes.length} bytes ${digest(bytes).slice(0, 12)}`;
      });
    case 'command':
    case 'boot-command':
      return step.spec.command.shell.reveal().split('\n').map(redact);
    case 'kubeadm': {
      const { verb, args, sentinel } = step.spec.command;
      return [
        redact(['kubeadm', verb, ...args.reveal()].join(' ')),
        ...(sentinel ? [`then write ${sentinel}`] : []),
      ];
    }
    case 'preflight':
    case 'ready':
      return [];
    case 'kernel':
      return [
        ...step.spec.modules,
        ...Object.entries(step.spec.sysctls).map(([key, value]) => `${key} = ${value}`),
      ];
    case 'proxy':
      return [
        ...(step.spec.settings.except.length > 0 ? [`except ${step.spec.settings.except.join(', ')}`] : []),
      ];
    case 'containerd': {
      const { cgroupDriver, sandboxImage, registries } = step.spec;
      return [cgroupDriver, sandboxImage, ...registries.map(({ host }) => host)].filter(
        (text) => text !== undefined,
      );
    }
    case 'kubeadm-patches':
    case 'static-pods':
      return step.spec.entries.map(({ name }) => name);
    case 'hostname':
      return [step.spec.fqdn ?? step.spec.name];
    case 'users':
    case 'groups':
      return step.spec.entries.map(({ name }) => name);
    case 'ntp':
      return [...step.spec.servers, ...step.spec.pools];
    case 'mounts':
      return step.spec.entries.map(({ fields }) => fields.join(' '));
    case 'disks':
    case 'filesystems':
      return step.spec.entries.map(({ device }) => device);
  }
}
