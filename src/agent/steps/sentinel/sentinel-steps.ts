import type { KubeadmCommand } from '../../document/document.ts';
import { SENTINEL } from '../../document/paths.ts';
import type { StepKind } from '../kind/step-kind.ts';
import type { SentinelSpec } from './write-sentinel.ts';

/**
 * A step of its own: kubeadm has succeeded by then, the journal says so, and nothing that fails here makes Slipway call kubeadm
 * again.
 */
export const sentinel: StepKind<SentinelSpec, KubeadmCommand> = {
  name: 'sentinel',
  plan: ({ verb, sentinel: asked = SENTINEL }) => [
    {
      id: 'sentinel',
      title: 'write the sentinel of Cluster API',
      spec: { verb, paths: [...new Set([SENTINEL, asked])] },
    },
  ],
  details: ({ paths }) => paths,
  work: async () => (await import('./write-sentinel.ts')).announceNode,
};
