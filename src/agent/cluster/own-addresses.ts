import { isIP } from 'node:net';
import type { Host } from '../host/host.ts';

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
