import { BACKOFF, backoffMs } from '../../kit/backoff.ts';
import type { Host } from '../host/host.ts';
import { readKubeletIdentity } from './kubelet-identity.ts';
import { canonicalAddress, ownAddresses } from './own-addresses.ts';
import { type ClusterNode, readNode } from './read-node.ts';

/** A cloud controller sets the addresses a moment after it has taken its taint away. */
const SETTLED_MS = 5_000;
const MOST_NAMED = 5;

/**
 * What is wrong with the addresses of this machine's Node, as half a sentence. The Node is Ready all the same, and no logs, no
 * exec and no routes lead to it.
 *
 * @returns undefined also where nobody knows: the Node cannot be seen, or a cloud controller has yet to set them
 */
export async function nodeAddressProblem(host: Host, signal: AbortSignal): Promise<string | undefined> {
  const end = host.clock.monotonic() + SETTLED_MS;
  for (let looks = 1; ; looks += 1) {
    const trouble = await look(host);
    if (trouble === undefined || signal.aborted || host.clock.monotonic() >= end) return trouble;
    await host.clock
      .sleep(
        backoffMs(looks, BACKOFF.ready, () => host.random()),
        signal,
      )
      .catch(() => undefined);
  }
}

async function look(host: Host): Promise<string | undefined> {
  const identity = await readKubeletIdentity(host);
  const name = identity?.nodeName;
  if (identity === undefined || name === undefined) return undefined;
  const answer = await readNode(host, identity, name);
  return answer.kind === 'node' ? troubleOf(name, answer.node, await ownAddresses(host)) : undefined;
}

/** @param own the machine's addresses; empty where they are not known */
function troubleOf(
  name: string,
  { ready, addresses, awaitsCloud }: Pick<ClusterNode, 'ready' | 'addresses' | 'awaitsCloud'>,
  own: ReadonlySet<string>,
): string | undefined {
  // Its kubelet has told nothing of it yet.
  if (ready === undefined || awaitsCloud || own.size === 0) return undefined;
  if (addresses.length === 0) return `the Node "${name}" has no IP address`;
  if (addresses.some((address) => own.has(canonicalAddress(address)))) return undefined;
  return `the Node "${name}" has only addresses that this machine does not have (${addresses.slice(0, MOST_NAMED).join(', ')})`;
}
