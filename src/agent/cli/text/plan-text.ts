import { digest } from '../../../kit/digest.ts';
import { redact } from '../../../kit/redact.ts';
import type { Document } from '../../document/document.ts';
import type { PlannedStep } from '../../plan/planned-step.ts';
import { planDigest } from '../../steps/plan.ts';

/** The plan for people: each step with what it will do, and nothing that may be secret. */
export function planAsText(document: Document, steps: PlannedStep[]): string {
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

/** The same as `slipway plan --output json` prints it. */
export function planAsJson(document: Document, steps: PlannedStep[]): string {
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
