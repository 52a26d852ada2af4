import { ipFamily } from '../../../kit/ip-family.ts';
import { omitUndefined } from '../../../kit/json.ts';
import type { NetworkLink, NetworkSettings } from '../../document/network-settings.ts';
import { type Diagnostics, printable } from '../../text/diagnostics.ts';
import { mappings } from '../../text/yaml/fields.ts';
import type { YamlNode } from '../../text/yaml/yaml-node.ts';
import { LinkFields, readRoute } from './link-fields.ts';
import { bondParameter, bridgeParameter } from './parameters.ts';
import { defaultRoute, emptyLink, isIPv6Network, isSafeId, network } from './values.ts';

const ROUTE = { to: ['destination', 'network'], via: 'gateway' } as const;
const KINDS = ['physical', 'infiniband', 'loopback', 'bond', 'bridge', 'vlan'];

type Read = Omit<NetworkSettings, 'place' | 'netplan'>;

/** cloud-init's version 1: a list of devices, name servers and routes. */
export function readVersion1(config: YamlNode, diagnostics: Diagnostics): Read {
  const read: Read = { links: [], dns: { servers: [], search: [] }, routes: [], onlyNetplan: [] };
  const named: { link: string; dns: NetworkLink['dns']; fields: LinkFields }[] = [];
  for (const item of mappings(config, 'config', diagnostics)) {
    const fields = new LinkFields(item, 'config', diagnostics);
    const type = fields.looseText('type') ?? '';
    if (type === 'nameserver') {
      const dns = { servers: fields.servers('address'), search: fields.domains('search') };
      const link = fields.looseText('interface');
      if (link !== undefined) named.push({ link, dns, fields });
      else {
        read.dns.servers.push(...dns.servers);
        read.dns.search.push(...dns.search);
      }
    } else if (type === 'route') {
      fields.node('id');
      // Its type says that it is a route.
      read.routes.push(...readRoute(fields, ROUTE).map(({ type: _, ...route }) => route));
    } else if (KINDS.includes(type)) {
      const link = readDevice(type, fields, diagnostics);
      if (link !== undefined) read.links.push(link);
    } else {
      const kinds = [...KINDS, 'nameserver', 'route'].join(', ');
      fields.wrong(
        'type',
        `type ${printable(type) === '' ? 'is missing' : 'is not known'}; there are: ${kinds}.`,
      );
      continue;
    }
    fields.finish();
  }
  for (const { link: id, dns, fields } of named) {
    const link = read.links.find((each) => each.id === id);
    if (link === undefined) fields.wrong('interface', 'the interface of a nameserver does not exist.');
    else
      link.dns = {
        servers: [...link.dns.servers, ...dns.servers],
        search: [...link.dns.search, ...dns.search],
      };
  }
  return read;
}

function readDevice(type: string, fields: LinkFields, diagnostics: Diagnostics): NetworkLink | undefined {
  const name = fields.interfaceName('name');
  if (name === undefined) {
    if (!fields.has('name')) fields.wrong('name', `a device of type ${type} must have a name.`);
    return undefined;
  }
  const link = emptyLink(name, type === 'physical' ? 'ethernet' : (type as NetworkLink['kind']));
  link.name = name;
  const mac = fields.hardware('mac_address');
  const isCard = type === 'physical' || type === 'infiniband';
  if (mac !== undefined && isCard) {
    link.match = { mac };
    link.renames = true;
  } else if (mac !== undefined) link.mac = mac;
  for (const subnet of fields.each('subnets', diagnostics, 'subnets')) readSubnet(subnet, link, diagnostics);
  const keep = fields.node('keep_configuration');
  if (keep !== undefined) fields.warn('keep_configuration', 'keep_configuration is ignored.');
  // Where a subnet says its own, the device's does not count.
  const mtu = fields.whole('mtu', 0, 65_535) || undefined;
  Object.assign(
    link,
    omitUndefined({
      mtu: link.mtu ?? mtu,
      acceptRa: fields.maybe('accept-ra'),
      wakeOnLan: fields.maybe('wakeonlan'),
      optional: fields.maybe('optional'),
    }),
  );
  if (type === 'vlan') readVlan(fields, link);
  if (type === 'bond') readBond(fields, link, diagnostics);
  if (type === 'bridge') readBridge(fields, link, diagnostics);
  return link;
}

function readVlan(fields: LinkFields, link: NetworkLink): void {
  const parent = fields.checked('vlan_link', 'the name of an interface', (text) =>
    isSafeId(text) ? text : undefined,
  );
  const id = fields.whole('vlan_id', 0, 4094);
  for (const name of ['vlan_link', 'vlan_id'])
    if (!fields.has(name)) fields.wrong(name, `a device of type vlan must have ${name}.`);
  if (parent !== undefined && id !== undefined) link.vlan = { id, link: parent };
}

function readBond(fields: LinkFields, link: NetworkLink, diagnostics: Diagnostics): void {
  link.bond = { members: fields.ids('bond_interfaces'), parameters: {} };
  if (link.bond.members.length === 0) fields.wrong('bond_interfaces', 'a bond must have bond_interfaces.');
  const parameters = fields.mapping('params', diagnostics, 'params');
  for (const given of parameters?.names() ?? []) {
    const [name, value] = bondParameter(parameters, given);
    if (value !== undefined) link.bond.parameters[name] = value;
  }
}

function readBridge(fields: LinkFields, link: NetworkLink, diagnostics: Diagnostics): void {
  const bridge = { members: fields.ids('bridge_interfaces'), parameters: {}, pathCost: {}, portPriority: {} };
  const parameters = fields.mapping('params', diagnostics, 'params');
  for (const given of parameters?.names() ?? []) bridgeParameter(parameters, given, bridge, diagnostics);
  link.bridge = bridge;
}

/** Members that nobody described are there all the same: cards by their names. */
export function withMembers(links: readonly NetworkLink[]): NetworkLink[] {
  const known = new Set(links.map(({ id }) => id));
  const wanted = links.flatMap(({ bond, bridge, vlan }) => [
    ...(bond?.members ?? []),
    ...(bridge?.members ?? []),
    ...(vlan === undefined ? [] : [vlan.link]),
  ]);
  const missing = [...new Set(wanted)].filter((id) => !known.has(id));
  return [...missing.map((id) => ({ ...emptyLink(id, 'ethernet'), name: id })), ...links];
}

const SUBNET_ROUTE = { to: ['network', 'destination'], via: 'gateway' } as const;
const DYNAMIC6: Readonly<Record<string, NonNullable<NetworkLink['dhcp6']>['mode']>> = {
  dhcp6: 'any',
  ipv6_slaac: 'slaac',
  'ipv6_dhcpv6-stateless': 'stateless',
  'ipv6_dhcpv6-stateful': 'stateful',
};

/** A subnet of version 1, whose parts go to the link that it stands at. */
function readSubnet(fields: LinkFields, link: NetworkLink, diagnostics: Diagnostics): void {
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
    link.routes.push(...readRoute(item, SUBNET_ROUTE).map((route) => ({ ...own, ...route })));
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
