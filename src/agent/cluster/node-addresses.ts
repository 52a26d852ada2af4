import { isIP } from 'node:net';
import { BACKOFF, backoffMs } from '../../kit/backoff.ts';
import type { Host } from '../host/host.ts';
import { readKubeletIdentity } from './kubelet-identity.ts';
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

const ASK_MS = 800;

/**
 * Every IP address of this machine in one spelling each, those of interfaces that are down or have no link among them: a
 * kubelet counts them too. Empty where nobody knows them, as below a root.
 */
export async function ownAddresses(host: Host): Promise<ReadonlySet<string>> {
  const known = host.interfaceAddresses().map(({ address }) => address);
  if (known.length === 0) return new Set();
  return new Set(
    [...known, ...(await askedOfIp(host)), ...(await readFromKernel(host))].map(canonicalAddress),
  );
}

/** An address in the one spelling that `ownAddresses` has; its prefix and zone are left out. */
export function canonicalAddress(address: string): string {
  const bare = address.replace(/[/%].*$/, '');
  return isIP(bare) === 6 ? new URL(`http://[${bare}]`).hostname.slice(1, -1) : bare;
}

async function askedOfIp(host: Host): Promise<string[]> {
  if (host.platform === 'windows') return [];
  const argv: [string, ...string[]] = ['ip', '-o', 'address', 'show'];
  const { exitStatus, stdout } = await host.processes.run({ argv, timeoutMs: ASK_MS });
  if (exitStatus !== 0) return [];
  return [...stdout.matchAll(/ inet6? ([0-9a-fA-F.:]+)/g)].map(([, address = '']) => address);
}

/** Of interfaces that are up, with a link or without; for a machine that has no `ip`. */
async function readFromKernel(host: Host): Promise<string[]> {
  const read = async (path: string): Promise<string> =>
    (await host.files.readIfPresent(path).catch(() => undefined))?.toString('utf8') ?? '';
  const four = [...(await read('/proc/net/fib_trie')).matchAll(/\|-- (\S+)\n\s+\/32 host LOCAL/g)];
  const six = [...(await read('/proc/net/if_inet6')).matchAll(/^([0-9a-f]{32}) /gm)];
  return [
    ...four.map(([, address = '']) => address),
    ...six.map(([, digits = '']) => digits.replace(/.{4}(?!$)/g, '$&:')),
  ];
}
