import type { ContainerdSettings } from '../../document/node-settings.ts';
import type { StepKind } from '../kind/step-kind.ts';

/** The kind of step that writes containerd's configuration and its registries. */
export const containerd: StepKind<ContainerdSettings> = {
  name: 'containerd',
  plan: ({ node }) =>
    node?.containerd ? [{ id: 'containerd', title: 'set up containerd', spec: node.containerd }] : [],
  details: ({ cgroupDriver, sandboxImage, registries }) =>
    [cgroupDriver, sandboxImage, ...registries.map(({ host }) => host)].filter((text) => text !== undefined),
  work: async () => (await import('./containerd.ts')).setUpContainerd,
};
