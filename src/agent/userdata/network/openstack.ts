import { omitUndefined } from '../../../kit/json.ts';
import type { NetworkLink, NetworkRoute, NetworkSettings } from '../../document/network-settings.ts';
import type { Diagnostics } from '../../text/diagnostics.ts';
import type { MappingNode } from '../../text/yaml/yaml-node.ts';
import { LinkFields, readRoute } from './link-fields.ts';
import { bondParameter } from './parameters.ts';
import { defaultRoute, emptyLink, isInterfaceName, isIPv6Network, isSafeId, network } from './values.ts';

const MODES: Readonly<Record<string, NonNullable<NetworkLink['dhcp6']>['mode']>> = {
  ipv6_dhcp: 'any',
  ipv6_slaac: 'slaac',
  'ipv6_dhcpv6-stateless': 'stateless',
  'ipv6_dhcpv6-stateful': 'stateful',
};
const STATIC = ['ipv4', 'static', 'ipv6', 'static6'];
const ROUTE = { to: ['network', 'destination'], via: 'gateway' } as const;

/** Names of this machine's cards by their hardware addresses, where they are known. */
export type InterfaceNames = ReadonlyMap<string, string>;

/**
 * OpenStack's network_data.json: links, networks on them, and name servers. Links are named by the cards of this machine, for
 * their ids are names on the hypervisor.
 */
export function readOpenStackNetwork(
  root: MappingNode,
  diagnostics: Diagnostics,
  cards: InterfaceNames,
): Omit<NetworkSettings, 'place' | 'netplan'> {
  const fields = new LinkFields(root, 'network_data.json', diagnostics);
  const links = new Map<string, NetworkLink>();
  const given = fields.each('links', diagnostics, 'links');
  let bonds = 0;
  for (const item of given) {
    const id = item.looseText('id') ?? '';
    const type = item.looseText('type') ?? '';
    if (id === '') item.wrong('id', 'a link must have an id.');
    else if (type === 'bond') links.set(id, readBond(item, bonds++));
    else if (type !== 'vlan') {
      const card = readCard(item, id, cards);
      if (card !== undefined) links.set(id, card);
    }
  }
  // Bonds and vlans name other links by ids that may stand below.
  for (const item of given) {
    const id = item.looseText('id') ?? '';
    const bond = links.get(id)?.bond;
    if (bond !== undefined)
      bond.members = item.texts('bond_links').flatMap((member) => known(item, 'bond_links', links, member));
    if (item.looseText('type') === 'vlan') readVlan(item, id, links);
  }
  for (const item of fields.each('networks', diagnostics, 'networks')) readNetwork(item, links, diagnostics);
  const dns = { servers: [] as string[], search: [] as string[] };
  for (const item of fields.each('services', diagnostics, 'services'))
    if (item.looseText('type') === 'dns') dns.servers.push(...item.servers('address'));
  return { links: [...links.values()], dns, routes: [], onlyNetplan: [] };
}

function readCard(fields: LinkFields, id: string, cards: InterfaceNames): NetworkLink | undefined {
  const mac = fields.hardware('ethernet_mac_address');
  const name = fields.interfaceName('name') ?? (mac === undefined ? undefined : cards.get(mac));
  if (mac === undefined && name === undefined) {
    fields.wrong('ethernet_mac_address', 'a link must have an ethernet_mac_address.');
    return undefined;
  }
  const own = name ?? (isInterfaceName(id) && isSafeId(id) ? id : `link-${mac?.replaceAll(':', '')}`);
  return {
    ...emptyLink(own, 'ethernet'),
    ...omitUndefined({ name, mtu: mtuOf(fields), match: mac === undefined ? undefined : { mac } }),
    renames: false,
  };
}

function readBond(fields: LinkFields, number: number): NetworkLink {
  const name = fields.interfaceName('name') ?? `bond${number}`;
  const bond: NonNullable<NetworkLink['bond']> = { members: [], parameters: {} };
  for (const key of fields.names().filter((each) => each.startsWith('bond') && each !== 'bond_links')) {
    const [parameter, value] = bondParameter(fields, key);
    if (value !== undefined) bond.parameters[parameter] = value;
  }
  const more = omitUndefined({ mac: fields.hardware('ethernet_mac_address'), mtu: mtuOf(fields) });
  return { ...emptyLink(name, 'bond'), ...more, name, bond };
}

function readVlan(fields: LinkFields, id: string, links: Map<string, NetworkLink>): void {
  const [parent] = known(fields, 'vlan_link', links, fields.looseText('vlan_link') ?? '');
  const number = fields.whole('vlan_id', 0, 4094);
  if (number === undefined && !fields.has('vlan_id')) fields.wrong('vlan_id', 'a vlan must have a vlan_id.');
  if (parent === undefined || number === undefined) return;
  const name = fields.interfaceName('name') ?? `${parent}.${number}`.slice(-15);
  const more = omitUndefined({ mac: fields.hardware('vlan_mac_address'), mtu: mtuOf(fields) });
  links.set(id, { ...emptyLink(name, 'vlan'), ...more, name, vlan: { id: number, link: parent } });
}

/** The name of the link with this id. */
function known(fields: LinkFields, key: string, links: Map<string, NetworkLink>, id: string): string[] {
  const link = links.get(id);
  if (link === undefined) fields.wrong(key, `${key} names a link that does not exist.`);
  return link === undefined ? [] : [link.id];
}

function mtuOf(fields: LinkFields): number | undefined {
  return fields.whole('mtu', 0, 65_535) || undefined;
}

function readNetwork(fields: LinkFields, links: Map<string, NetworkLink>, diagnostics: Diagnostics): void {
  const link = links.get(fields.looseText('link') ?? '');
  const type = fields.looseText('type') ?? '';
  if (link === undefined) {
    fields.wrong('link', 'link names a link that does not exist.');
    return;
  }
  const servers = (of: LinkFields) =>
    of
      .each('services', diagnostics, 'services')
      .flatMap((service) => (service.looseText('type') === 'dns' ? service.servers('address') : []));
  const routes = fields.each('routes', diagnostics, 'routes');
  const dns = [...routes.flatMap(servers), ...servers(fields)];
  link.dns.servers.push(...dns.filter((server, at) => dns.indexOf(server) === at));
  const found: NetworkRoute[] = routes.flatMap((route) => readRoute(route, ROUTE));
  if (type === 'ipv4_dhcp') link.dhcp4 = {};
  else if (Object.hasOwn(MODES, type)) {
    link.dhcp6 = { mode: MODES[type] ?? 'any' };
    if (type !== 'ipv6_dhcpv6-stateless') link.acceptRa = true;
  } else if (STATIC.includes(type)) {
    const cidr = network(
      fields.looseText('ip_address')?.trim() ?? '',
      fields.looseText('netmask') ?? fields.looseText('prefix'),
    );
    if (cidr === undefined) fields.wrong('ip_address', 'ip_address must be an IP address, with its netmask.');
    else {
      link.addresses.push(cidr);
      // As cloud-init has it: an address that is given is not joined by others from the router.
      if (isIPv6Network(cidr) && type.endsWith('6')) link.acceptRa = false;
      const gateway = fields.address('gateway');
      if (gateway !== undefined) link.routes.push(defaultRoute(gateway, cidr));
    }
  } else
    fields.wrong('type', 'type must be ipv4, ipv4_dhcp, ipv6, ipv6_dhcp, ipv6_slaac or an ipv6_dhcpv6 type.');
  link.routes.push(...found);
}
