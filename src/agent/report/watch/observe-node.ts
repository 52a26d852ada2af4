import type { NodeObservedEvent } from '../../../protocol/events.ts';
import { askKubelet } from '../../cluster/kubelet-health.ts';
import { readKubeletIdentity } from '../../cluster/kubelet-identity.ts';
import type { NodeCapacity } from '../../cluster/node-capacity.ts';
import { type ClusterNode, readNode } from '../../cluster/read-node.ts';
import { type Host, HostError } from '../../host/host.ts';

export interface NodeObservation {
  observed: NodeObservedEvent;
  /** What a Node offers that is Ready. */
  capacity?: NodeCapacity;
}

/**
 * Looks at the Node with the kubelet's own credentials, which may read that one object (the Node authorizer).
 * Undefined while there is nothing to see.
 */
export async function observeNode(host: Host): Promise<NodeObservation | undefined> {
  try {
    const identity = await readKubeletIdentity(host);
    const name = identity?.nodeName;
    if (identity === undefined || name === undefined) return undefined;
    const answer = await readNode(host, identity, name);
    if (answer.kind === 'node') return sightOf(name, answer.node);
    const isHealthy = (await askKubelet(host)).kind === 'healthy';
    return isHealthy
      ? { observed: { type: 'node.observed', node: name, state: 'kubelet-healthy' } }
      : undefined;
  } catch (error) {
    // Not there yet, or no longer: the next look tells.
    if (error instanceof HostError) return undefined;
    throw error;
  }
}

function sightOf(node: string, { ready, message, providerId, capacity }: ClusterNode): NodeObservation {
  const state = ready === undefined ? 'registered' : ready ? 'ready' : 'not-ready';
  const words = state === 'not-ready' && message !== undefined ? { message } : {};
  const id = providerId === undefined ? {} : { providerID: providerId };
  return {
    observed: { type: 'node.observed', node, state, ...words, ...id },
    ...(state === 'ready' ? { capacity } : {}),
  };
}
