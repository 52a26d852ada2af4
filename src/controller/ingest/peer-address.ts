import { isIPv6 } from 'node:net';

/**
 * What an address counts as. A host has 2^64 addresses of IPv6, so its network of 64 bits counts as one; an
 * IPv4 address counts alone, also where a socket for both families shows it as `::ffff:192.0.2.1`.
 */
export function peerAddress(address: string | undefined): string {
  const bare = (address ?? '').split('%')[0] ?? '';
  if (!isIPv6(bare)) return bare;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1];
  if (mapped !== undefined) return mapped;
  // The dotted end of an address is never within the first 64 bits.
  const [head = '', tail] = bare.replace(/\d+\.\d+\.\d+\.\d+$/, '0:0').split('::');
  const groupsOf = (text: string): string[] => text.split(':').filter((group) => group !== '');
  const [first, last] = [groupsOf(head), groupsOf(tail ?? '')];
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => '0');
  const network = [...first, ...zeros, ...last].slice(0, 4).map((group) => Number.parseInt(group, 16));
  return `${network.map((group) => group.toString(16)).join(':')}::/64`;
}
