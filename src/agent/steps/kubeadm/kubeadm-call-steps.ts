import { pluralize } from '../../../kit/pluralize.ts';
import { redact } from '../../../secrets/redact.ts';
import type { Document, KubeadmCommand } from '../../document/document.ts';
import type { Expectations, KubeadmAdditions } from '../../document/node-settings.ts';
import { expectationLines } from '../../facts/judge/unmet-expectations.ts';
import { commandLine } from '../../text/shell-word.ts';
import type { StepKind } from '../kind/step-kind.ts';
import type { PatchesSpec } from './kubeadm-patches.ts';
import type { KubeadmSpec } from './kubeadm-step.ts';
import type { PreflightSpec } from './preflight.ts';
import type { ReadySpec } from './ready.ts';
import type { StaticPodsSpec } from './static-pods.ts';

/** A call of kubeadm, with what the document says of it. */
export interface Call {
  /** Its place among the commands. */
  index: number;
  command: KubeadmCommand;
  /** Content of its configuration: another content makes it another call. */
  config: unknown;
  mend: boolean;
  expect: Expectations | undefined;
  additions: KubeadmAdditions;
  /** The commands after it. */
  later: readonly string[];
}

export const patches: StepKind<PatchesSpec, Call> = {
  name: 'kubeadm-patches',
  plan: ({ command, additions: { patches: entries } }) => {
    const what = entries.length === 1 ? '1 patch' : `${entries.length} patches`;
    return entries.length === 0
      ? []
      : [{ id: 'kubeadm-patches', title: `write ${what} for kubeadm`, spec: { entries, command } }];
  },
  details: ({ entries }) => entries.map(({ name }) => name),
  work: async () => (await import('./kubeadm-patches.ts')).writePatches,
};

const staticPods = (moment: 'before' | 'after'): StepKind<StaticPodsSpec, Call> => ({
  name: 'static-pods',
  plan: ({ command, additions: { staticPods: entries } }) => {
    const title = `${moment} kubeadm: write ${pluralize(entries.length, 'static pod')}`;
    return entries.length === 0
      ? []
      : [{ id: `static-pods/${moment}`, title, spec: { entries, command, moment } }];
  },
  details: ({ entries }) => entries.map(({ name }) => name),
  work: async () => (await import('./static-pods.ts')).writeStaticPods,
});
export const podsBefore = staticPods('before');
export const podsAfter = staticPods('after');

const NETWORK =
  /\b(?:ip|ifconfig|ifup|nmcli|netplan|networkctl|wg|wg-quick|tailscale|dhclient|dhcpcd|udhcpc|keepalived|wicked|systemd-networkd|NetworkManager|networking)\b/;
const mayAddAddress = (shell: string): boolean => NETWORK.test(shell);

export const preflight: StepKind<PreflightSpec, Call> = {
  name: 'preflight',
  plan: ({ command, mend, expect, later, config: more }) => [
    {
      id: 'preflight',
      title: 'check the machine',
      spec: {
        ...{ command, mend },
        ...(expect === undefined ? {} : { expect }),
        ...(later.some(mayAddAddress) ? { addressMayCome: true } : {}),
      },
      more,
    },
  ],
  details: ({ expect }) => (expect === undefined ? [] : expectationLines(expect)),
  // Addresses of a root are not known, nor how a kubelet of Windows counts them.
  async preview(_specs, { moment, host, document }) {
    if (moment !== 'plan' || host.root !== '/') return [];
    const { warnOfNodeIp } = await import('../../preflight/warn-of-node-ip.ts');
    const { foreseeNodeName } = await import('../../preflight/foresee-node-name.ts');
    return [...(await warnOfNodeIp(host, document)), ...foreseeNodeName(host, document)];
  },
  work: async () => (await import('./preflight.ts')).checkBefore,
};

export const kubeadm: StepKind<KubeadmSpec, Call> = {
  name: 'kubeadm',
  plan: ({ index, command, config: more }) => [
    { id: 'kubeadm', title: `kubeadm ${command.verb}`, spec: { index, command }, more },
  ],
  details: ({ command: { verb, args, environment, labels } }) => [
    redact(commandLine([...(environment?.reveal() ?? []), 'kubeadm', verb, ...args.reveal()])),
    ...(labels ?? []).map(({ key, template }) => redact(`label ${key}: ${template}`)),
  ],
  work: async () => (await import('./kubeadm-step.ts')).bootstrapNode,
};

export const ready: StepKind<ReadySpec> = {
  name: 'ready',
  plan({ commands }: Document) {
    const call = commands.find((command) => command.kind === 'kubeadm');
    if (call === undefined) return [];
    const spec = call.verb === 'init' ? { init: call } : {};
    return [{ id: 'ready', title: 'see the node become Ready', spec }];
  },
  work: async () => (await import('./ready.ts')).seeReady,
};
