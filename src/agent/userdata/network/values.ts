import { ipFamily } from '../../../kit/ip-family.ts';
import type { NetworkLink } from '../../document/network-settings.ts';

/** What the kernel takes for an interface's name. */
export function isInterfaceName(text: string): boolean {
  return /^[^\s/:%\p{Cc}]{1,15}$/u.test(text) && text !== '.' && text !== '..';
}

/** What may stand in a file's name, and in the files of all that configures networks. */
export function isSafeId(text: string): boolean {
  return /^[A-Za-z0-9][\w.@-]{0,63}$/.test(text);
}

/** Lower case with colons; undefined if it is no hardware address (Ethernet's, or InfiniBand's of 20 bytes). */
export function hardwareAddress(text: string): string | undefined {
  const plain = text.toLowerCase().replaceAll('-', ':');
  return /^[0-9a-f]{2}(?::[0-9a-f]{2}){5}(?:(?::[0-9a-f]{2}){14})?$/.test(plain) ? plain : undefined;
}

/** The family of an address with or without the length of a prefix. */
export function isIPv6Network(text: string): boolean {
  return text.includes(':');
}

/**
 * An address with the length of its prefix, which stands behind it, or in `mask` as a length or a netmask. Where nobody says
 * it, it is cloud-init's: 24, and 64 for IPv6.
 *
 * @returns undefined if either is none
 */
export function network(text: string, mask?: string): string | undefined {
  const [address = '', own, ...more] = text.split('/');
  const family = ipFamily(address);
  if (family === undefined || more.length > 0) return undefined;
  const length = prefixLength(own ?? mask ?? (family === 4 ? '24' : '64'), family);
  return length === undefined ? undefined : `${address}/${length}`;
}

/** The same for what a route leads to: `default` by the gateway's family. */
export function destination(text: string, mask: string | undefined, via?: string): string | undefined {
  if (text !== 'default') return network(text, mask);
  return via !== undefined && ipFamily(via) === 6 ? '::/0' : '0.0.0.0/0';
}

function prefixLength(text: string, family: 4 | 6): number | undefined {
  if (/^\d{1,3}$/.test(text)) return Number(text) <= (family === 4 ? 32 : 128) ? Number(text) : undefined;
  if (ipFamily(text) !== family) return undefined;
  const bits = bitsOf(text);
  return /^1*0*$/.test(bits) ? bits.indexOf('0') + (bits.includes('0') ? 0 : bits.length + 1) : undefined;
}

/** The address as zeros and ones. */
function bitsOf(address: string): string {
  if (ipFamily(address) === 4)
    return address
      .split('.')
      .map((part) => bits(Number(part), 8))
      .join('');
  const plain = address.replace(/[^:]*\.[^:]*$/, (v4) => {
    const [a = 0, b = 0, c = 0, d = 0] = v4.split('.').map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [head = '', tail] = plain.split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const gap = tail === undefined ? [] : new Array<string>(8 - front.length - back.length).fill('0');
  return [...front, ...gap, ...back].map((group) => bits(Number.parseInt(group, 16), 16)).join('');
}

function bits(value: number, width: number): string {
  return value.toString(2).padStart(width, '0');
}

/** Does the network of `cidr` hold the address? Families that differ never do. */
export function containsAddress(cidr: string, address: string): boolean {
  const [own = '', length = ''] = cidr.split('/');
  if (ipFamily(own) !== ipFamily(address)) return false;
  return bitsOf(own).slice(0, Number(length)) === bitsOf(address).slice(0, Number(length));
}

/** The default route by a gateway; one outside the link's network is to be reached all the same. */
export function defaultRoute(via: string, cidr?: string): NetworkLink['routes'][number] {
  const to = ipFamily(via) === 6 ? '::/0' : '0.0.0.0/0';
  return { to, via, ...(cidr === undefined || containsAddress(cidr, via) ? {} : { onLink: true }) };
}

export function emptyLink(id: string, kind: NetworkLink['kind']): NetworkLink {
  return {
    ...{ id, kind, renames: false, addresses: [], routes: [], rules: [] },
    dns: { servers: [], search: [] },
  };
}
