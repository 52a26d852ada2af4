import { findCallers, nodeProspect } from '../../callers/find-callers.ts';
import type { Document } from '../../document/document.ts';
import type { StepKind } from '../kind/step-kind.ts';
import type { NodeSpec } from './see-node.ts';

/** The end of every document whose call of kubeadm is not Slipway's own: whoever made it, is there a node? */
export const seenNode: StepKind<NodeSpec> = {
  name: 'left-call',
  plan(document: Document) {
    if (document.withoutKubeadm || nodeProspect(document) !== 'surely') return [];
    const verb = findCallers(document)?.verb;
    if (verb === undefined) return [];
    return [{ id: 'node', title: `see that kubeadm ${verb} has made a node`, spec: { verb } }];
  },
  work: async () => (await import('./see-node.ts')).seeNode,
};

/** The end of a document that runs programs which nobody has read. */
export const perhapsNode: StepKind<Record<string, never>> = {
  name: 'perhaps-node',
  plan: (document: Document) =>
    document.withoutKubeadm || nodeProspect(document) !== 'maybe'
      ? []
      : [{ id: 'node', title: 'see whether this machine has become a node', spec: {} }],
  work: async () => (await import('./see-node.ts')).lookForNode,
};
