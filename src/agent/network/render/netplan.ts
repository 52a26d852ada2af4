import type { NetworkLink, NetworkRoute, NetworkSettings } from '../../document/network-settings.ts';
import type { RenderedFile } from './rendered.ts';
import { HEADER } from './rendered.ts';

/** After what the image has: of two files netplan takes the later one's values. */
const PATH = '/etc/netplan/60-slipway.yaml';
const SECTIONS = {
  ...{ ethernet: 'ethernets', infiniband: 'ethernets', loopback: 'ethernets' },
  ...{ bond: 'bonds', bridge: 'bridges', vlan: 'vlans' },
} as const;

type Json = Record<string, unknown>;

/** netplan's YAML, written as JSON, which is YAML too; a configuration of version 2 as it was given. */
export function renderNetplan(settings: NetworkSettings): RenderedFile[] {
  const whole: unknown =
    settings.netplan === undefined ? rendered(settings) : JSON.parse(settings.netplan.reveal());
  return [{ path: PATH, content: `${HEADER}\n${JSON.stringify(whole, undefined, 2)}\n`, mode: 0o600 }];
}

function rendered(settings: NetworkSettings): Json {
  const network: Record<string, Json> & Json = {};
  for (const link of settings.links) {
    if (link.kind === 'loopback') continue;
    const section = SECTIONS[link.kind];
    const rows: Json = (network[section] as Json | undefined) ?? {};
    rows[link.id] = device(link, settings);
    network[section] = rows;
  }
  return { network: { version: 2, ...network } };
}

function device(link: NetworkLink, { dns: all, routes }: NetworkSettings): Json {
  const dns = {
    servers: link.dns.servers.length > 0 || link.addresses.length === 0 ? link.dns.servers : all.servers,
    search: link.dns.search.length > 0 || link.addresses.length === 0 ? link.dns.search : all.search,
  };
  const { match, vlan, bond, bridge } = link;
  const paths = [...link.routes, ...(link.addresses.length > 0 ? routes : [])];
  const nameservers = {
    ...(dns.servers.length > 0 ? { addresses: dns.servers } : {}),
    ...(dns.search.length > 0 ? { search: dns.search } : {}),
  };
  return known({
    match: match && known({ macaddress: match.mac, name: match.name, driver: match.driver?.[0] }),
    'set-name': match !== undefined && link.renames ? link.name : undefined,
    macaddress: link.mac,
    id: vlan?.id,
    link: vlan?.link,
    interfaces: bond?.members ?? bridge?.members,
    parameters: parameters(link),
    dhcp4: link.dhcp4 && true,
    'dhcp4-overrides': link.dhcp4 && overrides(link.dhcp4),
    dhcp6: link.dhcp6 && true,
    'dhcp6-overrides': link.dhcp6 && overrides(link.dhcp6),
    'accept-ra': link.acceptRa,
    mtu: link.mtu,
    'ipv6-mtu': link.mtu6,
    wakeonlan: link.wakeOnLan,
    optional: link.optional,
    addresses: link.addresses.length > 0 ? link.addresses : undefined,
    routes: paths.length > 0 ? paths.map(route) : undefined,
    nameservers: Object.keys(nameservers).length > 0 ? nameservers : undefined,
  });
}

function parameters({ bond, bridge }: NetworkLink): Json | undefined {
  const found: Json = { ...bond?.parameters, ...bridge?.parameters };
  for (const [key, value] of Object.entries(found)) {
    if (value === 'true' || value === 'false') found[key] = value === 'true';
    else if (typeof value === 'string' && /^\d{1,9}$/.test(value)) found[key] = Number(value);
    if (key === 'arp-ip-targets' && typeof value === 'string') found[key] = value.split(/[ ,]/);
  }
  const { pathCost = {}, portPriority = {} } = bridge ?? {};
  if (Object.keys(pathCost).length > 0) found['path-cost'] = pathCost;
  if (Object.keys(portPriority).length > 0) found['port-priority'] = portPriority;
  return Object.keys(found).length > 0 ? found : undefined;
}

function overrides({ metric }: NonNullable<NetworkLink['dhcp4']>): Json | undefined {
  return metric === undefined ? undefined : { 'route-metric': metric };
}

function route({ to, via, metric, onLink, table, mtu }: NetworkRoute): Json {
  return known({ to, via, metric, 'on-link': onLink, table, mtu });
}

function known(given: Json): Json {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
