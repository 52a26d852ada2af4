import { ipFamily } from '../../../kit/ip-family.ts';
import { omitUndefined } from '../../../kit/json.ts';
import type { NetworkLink, NetworkSettings } from '../../document/network-settings.ts';
import { type Diagnostics, printable } from '../../text/diagnostics.ts';
import { plainValue } from '../../text/yaml/plain-value.ts';
import { describe, type MappingNode, pythonText, type YamlNode } from '../../text/yaml/yaml-node.ts';
import { LinkFields, readDhcp, readRoute, readRule } from './link-fields.ts';
import { bondParameter, bridgeParameter } from './parameters.ts';
import { isNetplanKey, isNetplanSection } from './shape/warn-of-shapes.ts';
import { defaultRoute, emptyLink, isInterfaceName, isSafeId, network } from './values.ts';

const SECTIONS = { ethernets: 'ethernet', bonds: 'bond', bridges: 'bridge', vlans: 'vlan' } as const;
/** What is read of every link. */
const COMMON: readonly string[] = [
  ...['addresses', 'dhcp4', 'dhcp6', 'dhcp4-overrides', 'dhcp6-overrides', 'gateway4', 'gateway6'],
  ...['nameservers', 'routes', 'routing-policy', 'mtu', 'ipv6-mtu', 'macaddress', 'optional', 'accept-ra'],
  ...['dhcp4domain', 'dhcp6domain', 'renderer'],
];
const OWN: Readonly<Record<string, readonly string[]>> = {
  ethernets: ['match', 'set-name', 'wakeonlan'],
  bonds: ['interfaces', 'parameters'],
  bridges: ['interfaces', 'parameters'],
  vlans: ['id', 'link'],
};

/** cloud-init's version 2, which is netplan's own format. What only netplan knows of it goes to netplan alone. */
export function readVersion2(
  root: MappingNode,
  diagnostics: Diagnostics,
): Omit<NetworkSettings, 'place' | 'netplan'> & { plain: unknown } {
  const links: NetworkLink[] = [];
  const onlyNetplan: string[] = [];
  for (const { key, value } of root.entries) {
    const section = pythonText(key) ?? '';
    if (section === 'version' || section === 'renderer') continue;
    if (!Object.hasOwn(SECTIONS, section)) {
      if (!isNetplanSection(section))
        diagnostics.warn(
          'UserDataIgnoredKey',
          `${printable(section)} is not a version 2 section.`,
          key.where,
        );
      onlyNetplan.push(/^[\w-]{1,40}$/.test(section) ? section : 'a section');
      continue;
    }
    if (value.kind !== 'mapping') {
      if (value.kind !== 'null')
        diagnostics.error(
          'UserDataInvalid',
          `${section} must be a mapping, not ${describe(value)}.`,
          value.where,
        );
      continue;
    }
    for (const { key: id, value: link } of value.entries) {
      const found = readLink(
        section as keyof typeof SECTIONS,
        pythonText(id) ?? '',
        link,
        diagnostics,
        onlyNetplan,
      );
      if (found !== undefined) links.push(found);
    }
  }
  return { links, dns: { servers: [], search: [] }, routes: [], onlyNetplan, plain: plainValue(root) };
}

function readLink(
  section: keyof typeof SECTIONS,
  id: string,
  node: YamlNode,
  diagnostics: Diagnostics,
  onlyNetplan: string[],
): NetworkLink | undefined {
  if (!isSafeId(id)) {
    diagnostics.error(
      'UserDataInvalid',
      `${section}: a name must consist of letters, digits and -_.@`,
      node.where,
    );
    return undefined;
  }
  const link = emptyLink(id, SECTIONS[section]);
  const what = `${section}.${id}`;
  if (node.kind !== 'mapping') {
    diagnostics.error('UserDataInvalid', `${what} must be a mapping, not ${describe(node)}.`, node.where);
    return undefined;
  }
  const fields = new LinkFields(node, what, diagnostics);
  readAddresses(fields, link, diagnostics);
  readDynamic(fields, link, diagnostics);
  Object.assign(
    link,
    omitUndefined({
      mtu: fields.whole('mtu', 0, 65_535) || undefined,
      mtu6: fields.whole('ipv6-mtu', 1280, 65_535),
      optional: fields.maybe('optional'),
      acceptRa: fields.maybe('accept-ra'),
      mac: fields.hardware('macaddress'),
    }),
  );
  if (section === 'ethernets') readCard(fields, link, diagnostics);
  else if (!isInterfaceName(id))
    fields.wrongAt(node.where, 'an interface name can have at most 15 characters.');
  else link.name = id;
  if (section === 'vlans') readVlan(fields, link);
  if (section === 'bonds') readBond(fields, link, diagnostics);
  if (section === 'bridges') readBridge(fields, link, diagnostics);
  const known = [...COMMON, ...(OWN[section] ?? [])];
  for (const name of fields.names().filter((name) => !known.includes(name))) {
    onlyNetplan.push(`${what}.${word(name)}`);
    if (!isNetplanKey(name)) fields.warn(name, `${word(name)} is not known to Slipway or netplan.`);
  }
  return link;
}

function word(name: string): string {
  return /^[\w-]{1,40}$/.test(name) ? name : '(a key)';
}

function readAddresses(fields: LinkFields, link: NetworkLink, diagnostics: Diagnostics): void {
  for (const item of fields.list('addresses') ?? []) {
    // An address may be a key with options of netplan's behind it.
    const only = item.kind === 'mapping' && item.entries.length === 1 ? item.entries[0]?.key : item;
    const text = only && only.kind !== 'mapping' && only.kind !== 'sequence' ? pythonText(only) : undefined;
    const cidr = text === undefined ? undefined : network(text.trim());
    if (cidr === undefined) fields.wrongAt(item.where, 'addresses must be of the form 10.0.0.5/24.');
    else link.addresses.push(cidr);
  }
  for (const name of ['gateway4', 'gateway6']) {
    const via = fields.address(name);
    if (via === undefined) continue;
    const family = name === 'gateway4' ? 4 : 6;
    if (ipFamily(via) !== family) {
      fields.wrong(name, `${name} must be an IPv${family} address.`);
      continue;
    }
    const own = link.addresses.find((cidr) => ipFamily(cidr.split('/')[0] ?? '') === family);
    link.routes.push(defaultRoute(via, own));
  }
  const names = { to: ['to'], via: 'via', onLink: 'on-link' };
  for (const route of fields.each('routes', diagnostics, 'routes'))
    link.routes.push(...readRoute(route, names));
  for (const rule of fields.each('routing-policy', diagnostics, 'routing-policy'))
    link.rules.push(readRule(rule));
  const dns = fields.mapping('nameservers', diagnostics, 'nameservers');
  if (dns !== undefined) link.dns = { servers: dns.servers('addresses'), search: dns.domains('search') };
}

function readDynamic(fields: LinkFields, link: NetworkLink, diagnostics: Diagnostics): void {
  for (const version of [4, 6] as const) {
    const settings = readDhcp(
      fields.mapping(`dhcp${version}-overrides`, diagnostics, `dhcp${version}-overrides`),
    );
    // VMware's own spelling of an override.
    const domains = fields.looseText(`dhcp${version}domain`);
    if (domains !== undefined)
      settings.useDomains = domains === 'route' ? 'route' : /^(?:true|yes|on|1)$/i.test(domains);
    if (!fields.bool(`dhcp${version}`, false)) continue;
    if (version === 4) link.dhcp4 = settings;
    else link.dhcp6 = { ...settings, mode: 'any' };
  }
}

function readCard(fields: LinkFields, link: NetworkLink, diagnostics: Diagnostics): void {
  const match = fields.mapping('match', diagnostics, 'match');
  const setName = fields.interfaceName('set-name');
  const wakeOnLan = fields.maybe('wakeonlan');
  if (wakeOnLan !== undefined) link.wakeOnLan = wakeOnLan;
  if (match !== undefined) {
    const pattern = (text: string) => (/^[\w.@*?[\]!-]{1,64}$/.test(text) ? text : undefined);
    const drivers = match.list1('driver', 'driver names', pattern);
    link.match = omitUndefined({
      mac: match.hardware('macaddress'),
      name: match.checked('name', 'a name or a name pattern', pattern),
      driver: drivers.length === 0 ? undefined : drivers,
    });
  }
  if (setName !== undefined) {
    link.name = setName;
    link.renames = match !== undefined;
    if (match === undefined) fields.wrong('set-name', 'set-name has no effect without match.');
  } else if (match === undefined) {
    if (isInterfaceName(link.id)) link.name = link.id;
    else fields.wrongAt(fields.where, 'an interface name can have at most 15 characters; use match.');
  }
}

function readVlan(fields: LinkFields, link: NetworkLink): void {
  const id = fields.whole('id', 0, 4094);
  const parent = fields.checked('link', 'the name of another interface', (text) =>
    isSafeId(text) ? text : undefined,
  );
  if (id === undefined && !fields.has('id')) fields.wrong('id', 'a vlan must have an id.');
  if (parent === undefined && !fields.has('link')) fields.wrong('link', 'a vlan must have a link.');
  if (id !== undefined && parent !== undefined) link.vlan = { id, link: parent };
}

function readBond(fields: LinkFields, link: NetworkLink, diagnostics: Diagnostics): void {
  const parameters = fields.mapping('parameters', diagnostics, 'parameters');
  link.bond = { members: fields.ids('interfaces'), parameters: {} };
  for (const name of parameters?.names() ?? []) {
    const [known, value] = bondParameter(parameters, name);
    if (value !== undefined) link.bond.parameters[known] = value;
  }
}

function readBridge(fields: LinkFields, link: NetworkLink, diagnostics: Diagnostics): void {
  const parameters = fields.mapping('parameters', diagnostics, 'parameters');
  const bridge = { members: fields.ids('interfaces'), parameters: {}, pathCost: {}, portPriority: {} };
  for (const name of parameters?.names() ?? []) bridgeParameter(parameters, name, bridge, diagnostics);
  link.bridge = bridge;
}
