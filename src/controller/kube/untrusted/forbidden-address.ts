import { BlockList, isIP } from 'node:net';

/** What no API server of a workload cluster has, by the words that say why. */
const FORBIDDEN: readonly (readonly [why: string, ...networks: string[]])[] = [
  ['an address of this machine itself', '0.0.0.0/8', '127.0.0.0/8', '::/128', '::1/128'],
  [
    'a metadata service',
    '169.254.169.254/32',
    '168.63.129.16/32',
    '100.100.100.200/32',
    '192.0.0.192/32',
    'fd00:ec2::254/128',
    'fd20:ce::254/128',
    'fd00:c1::a9fe:a9fe/128',
  ],
  ['a link-local address', '169.254.0.0/16', 'fe80::/10'],
  ['a multicast or reserved address', '224.0.0.0/3', 'ff00::/8'],
];

/** IPv6 networks whose addresses have an IPv4 address in them, from this bit on: mapped, compatible, NAT64 and 6to4. */
const WITH_IPV4: readonly (readonly [network: string, from: number])[] = [
  ['::ffff:0:0/96', 96],
  ['::/96', 96],
  ['64:ff9b::/96', 96],
  ['2002::/16', 16],
];

const lists = FORBIDDEN.map(([why, ...networks]) => ({ why, list: listOf(networks) }));
const carriers = WITH_IPV4.map(([network, from]) => ({ from, list: listOf([network]) }));

/**
 * Why nobody but the operator may have the controller connect to this address: it is the controller's own pod or node, or
 * answers whoever is near. Private and cluster-internal addresses are where hosted control planes are.
 *
 * @param address an IP address without brackets
 * @returns undefined where it may
 */
export function whyForbidden(address: string): string | undefined {
  // A zone (`fe80::1%eth0`) exists for link-local addresses alone.
  const bare = address.replace(/%.*$/, '');
  const family = isIP(bare);
  if (family === 0) return 'no IP address';
  const why = lists.find(({ list }) => list.check(bare, `ipv${family as 4 | 6}`))?.why;
  if (why !== undefined || family === 4) return why;
  const from = carriers.find(({ list }) => list.check(bare, 'ipv6'))?.from;
  return from === undefined ? undefined : whyForbidden(ipv4At(bare, from));
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    list.addSubnet(address, Number(prefix), isIP(address) === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

/** The 32 bits of an IPv6 address from this one on. */
function ipv4At(address: string, from: number): string {
  // The parser of URLs writes an address out in one form.
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = text.split('::');
  const [first, last] = [head, tail ?? ''].map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = tail === undefined ? 0 : 8 - (first?.length ?? 0) - (last?.length ?? 0);
  const groups = [...(first ?? []), ...Array.from({ length: zeros }, () => '0'), ...(last ?? [])];
  return groups
    .slice(from / 16, from / 16 + 2)
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.');
}
