import { ipFamily } from '../../../kit/ip-family.ts';
import type { NetworkLink } from '../../document/network-settings.ts';
import type { Diagnostics } from '../../text/diagnostics.ts';
import { type LinkFields, readRoute } from './link-fields.ts';
import { defaultRoute, isIPv6Network, network } from './values.ts';

const ROUTE = { to: ['network', 'destination'], via: 'gateway' } as const;
const DYNAMIC6: Readonly<Record<string, NonNullable<NetworkLink['dhcp6']>['mode']>> = {
  dhcp6: 'any',
  ipv6_slaac: 'slaac',
  'ipv6_dhcpv6-stateless': 'stateless',
  'ipv6_dhcpv6-stateful': 'stateful',
};

/** A subnet of version 1, whose parts go to the link that it stands at. */
export function readSubnet(fields: LinkFields, link: NetworkLink, diagnostics: Diagnostics): void {
  const type = fields.looseText('type') ?? '';
  const metric = fields.whole('metric');
  const own = metric === undefined ? {} : { metric };
  if (type === 'dhcp' || type === 'dhcp4') link.dhcp4 = { ...link.dhcp4, ...own };
  else if (Object.hasOwn(DYNAMIC6, type)) {
    link.dhcp6 = { ...link.dhcp6, ...own, mode: DYNAMIC6[type] ?? 'any' };
    if (type === 'ipv6_slaac') link.acceptRa = true;
  } else if (type === 'static' || type === 'static6') readStatic(fields, link, metric, type === 'static6');
  else if (type !== 'manual')
    fields.wrong('type', 'type must be dhcp4, dhcp6, static, static6, manual, or one of the ipv6_ types.');
  link.dns.servers.push(...fields.servers('dns_nameservers'));
  link.dns.search.push(...fields.domains('dns_search'));
  for (const item of fields.each('routes', diagnostics, 'routes'))
    link.routes.push(...readRoute(item, ROUTE).map((route) => ({ ...own, ...route })));
  readMtu(fields, link, type);
  // What only older tools have.
  for (const name of [
    'control',
    'broadcast',
    'pointopoint',
    'scope',
    'ipv4',
    'ipv6',
    'netmask',
    'prefix',
    'gateway',
  ])
    fields.node(name);
  fields.finish();
}

function readStatic(fields: LinkFields, link: NetworkLink, metric: number | undefined, isSix: boolean): void {
  const text = fields.looseText('address')?.trim();
  if (text === undefined) {
    fields.wrong('address', 'a static subnet must have an address.');
    return;
  }
  const cidr = network(text, fields.looseText('prefix') ?? fields.looseText('netmask'));
  if (cidr === undefined || (isSix && !isIPv6Network(cidr))) {
    fields.wrong(
      'address',
      `address must be an ${isSix ? 'IPv6' : 'IP'} address, with its netmask or prefix.`,
    );
    return;
  }
  link.addresses.push(cidr);
  const gateway = fields.address('gateway');
  if (gateway === undefined) return;
  link.routes.push({ ...defaultRoute(gateway, cidr), ...(metric === undefined ? {} : { metric }) });
}

function readMtu(fields: LinkFields, link: NetworkLink, type: string): void {
  const mtu = fields.whole('mtu', 68, 65_535);
  if (mtu === undefined) return;
  const address = link.addresses.at(-1)?.split('/')[0] ?? '';
  const isSix =
    Object.hasOwn(DYNAMIC6, type) || type === 'static6' || (type === 'static' && ipFamily(address) === 6);
  if (isSix) link.mtu6 = mtu;
  else link.mtu = mtu;
}
