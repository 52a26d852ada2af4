import type { Document, KubeadmCommand } from '../document/document.ts';
import type { KubeadmAdditions } from '../document/node-settings.ts';
import { count, step } from '../steps/kind/step-kind.ts';
import type { PlannedStep } from './planned-step.ts';

/** What makes the machine fit for kubeadm and for the commands before it: kernel, proxy, container runtime. */
export function nodeSteps({ node, commands }: Pick<Document, 'node' | 'commands'>): PlannedStep[] {
  const { kernel, proxy, containerd } = node ?? {};
  const command = commands.find((entry) => entry.kind === 'kubeadm');
  return [
    kernel ? step('kernel', 'kernel', 'load kernel modules and set kernel settings', kernel) : undefined,
    proxy
      ? step('proxy', 'proxy', 'set up the proxy', {
          settings: proxy,
          command,
          restartLater: containerd !== undefined,
        })
      : undefined,
    containerd ? step('containerd', 'containerd', 'set up containerd', containerd) : undefined,
  ].filter((planned) => planned !== undefined);
}

/** What kubeadm is to find. */
export function additionsBefore(
  command: KubeadmCommand,
  { patches, staticPods }: KubeadmAdditions = { patches: [], staticPods: [] },
): PlannedStep[] {
  return [
    ...(patches.length > 0
      ? [
          step('kubeadm-patches', 'kubeadm-patches', `write ${patchCount(patches.length)} for kubeadm`, {
            entries: patches,
            command,
          }),
        ]
      : []),
    ...podSteps(command, staticPods, 'before'),
  ];
}

/** What kubeadm must not find. */
export function additionsAfter(command: KubeadmCommand, additions?: KubeadmAdditions): PlannedStep[] {
  return podSteps(command, additions?.staticPods ?? [], 'after');
}

function podSteps(
  command: KubeadmCommand,
  entries: KubeadmAdditions['staticPods'],
  moment: 'before' | 'after',
): PlannedStep[] {
  if (entries.length === 0) return [];
  const title = `${moment} kubeadm: write ${count(entries.length, 'static pod')}`;
  return [step('static-pods', `static-pods/${moment}`, title, { entries, command, moment })];
}

const patchCount = (n: number): string => (n === 1 ? '1 patch' : `${n} patches`);
