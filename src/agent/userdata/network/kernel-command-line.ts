import { gunzip, isGzip } from '../../../kit/bytes/gunzip.ts';
import { ipFamily } from '../../../kit/ip-family.ts';
import type { NetworkConfig } from '../../platform/instance/instance.ts';
import { isInterfaceName, isSafeId } from './values.ts';

/** Far more than a kernel command line holds. */
const MAX_BYTES = 1024 * 1024;

/**
 * A configuration on the kernel command line: `network-config=` (base64, possibly of gzip; `disabled` switches off), else a
 * static address in `ip=` for an interface that it names.
 */
export function networkFromKernelLine(line: string): NetworkConfig | undefined {
  const words = line.split(/\s+/);
  const value = words.findLast((word) => word.startsWith('network-config='))?.slice('network-config='.length);
  if (value !== undefined && value !== '') {
    const text = value === 'disabled' ? '{config: disabled}' : decoded(value);
    return { format: 'cloud-init', text, place: 'network-config= of the kernel command line' };
  }
  const devices = words
    .filter((word) => word.startsWith('ip='))
    .flatMap((word) => device(word.slice(3)) ?? []);
  if (devices.length === 0) return undefined;
  const text = JSON.stringify({ version: 1, config: devices });
  return { format: 'cloud-init', text, place: 'ip= of the kernel command line' };
}

function decoded(text: string): string {
  const bytes = Buffer.from(text, 'base64');
  if (!isGzip(bytes)) return bytes.toString('utf8');
  const plain = gunzip(bytes, MAX_BYTES);
  return 'bytes' in plain ? plain.bytes.toString('utf8') : 'it is gzip that is damaged';
}

/**
 * `CLIENT:PEER:GATEWAY:NETMASK:HOSTNAME:DEVICE:AUTOCONF:DNS:DNS`, the kernel's and dracut's. What an initramfs asks DHCP for is
 * its own affair; addresses of IPv6 stand in brackets.
 */
function device(text: string): unknown {
  const parts = text
    .replace(/\[([^\]]*)\]/g, (_, address: string) => address.replaceAll(':', '_'))
    .split(':')
    .map((part) => part.replaceAll('_', ':'));
  const [address = '', , gateway = '', netmask = '', , name = '', method = '', ...dns] = parts;
  if (ipFamily(address) === undefined || !isInterfaceName(name) || !isSafeId(name)) return undefined;
  if (!['', 'none', 'off', 'static'].includes(method)) return undefined;
  const servers = dns.filter((server) => ipFamily(server) !== undefined);
  const subnet = {
    ...{ type: ipFamily(address) === 6 ? 'static6' : 'static', address },
    ...(netmask === '' ? {} : { netmask }),
    ...(gateway === '' ? {} : { gateway }),
    ...(servers.length === 0 ? {} : { dns_nameservers: servers }),
  };
  return { type: 'physical', name, subnets: [subnet] };
}
