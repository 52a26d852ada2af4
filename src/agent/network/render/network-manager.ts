import { createHash } from 'node:crypto';
import { omitUndefined } from '../../../kit/json.ts';
import type {
  NetworkLink,
  NetworkRoute,
  NetworkSettings,
  RoutingRule,
} from '../../document/network-settings.ts';
import { linkFile } from './networkd.ts';
import { HEADER, type RenderedFile } from './rendered.ts';

const DIRECTORY = '/etc/NetworkManager/system-connections';
/** Names of Slipway's connections come from this one (RFC 4122, version 5). */
const NAMESPACE = '7d1f0c54-9a5e-4f0a-8a66-2f1c9c7f2c11';

type Section = Record<string, string>;
type Profile = Record<string, Section>;

/** nm-settings-keyfile(5): a connection for each link. */
export function renderNetworkManager(settings: NetworkSettings): RenderedFile[] {
  const links = settings.links.filter(({ kind }) => kind !== 'loopback');
  const profiles = links.map((link) => ({
    path: connectionPath(link),
    content: `${HEADER}\n\n${text(profile(link, settings))}`,
    mode: 0o600,
  }));
  // Names are udev's business here, too.
  return [...profiles, ...links.filter(({ renames }) => renames).flatMap(linkFile)];
}

export function connectionPath({ id }: Pick<NetworkLink, 'id'>): string {
  return `${DIRECTORY}/slipway-${id}.nmconnection`;
}

/** The same on every machine, so that a connection can be named by others. */
function connectionUuid(id: string): string {
  const bytes = createHash('sha1')
    .update(Buffer.from(NAMESPACE.replaceAll('-', ''), 'hex'))
    .update(id)
    .digest();
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function text(profile: Profile): string {
  return Object.entries(profile)
    .filter(([, section]) => Object.keys(section).length > 0)
    .map(([name, section]) => `[${name}]\n${lines(section)}\n`)
    .join('\n');
}

function lines(section: Section): string {
  return Object.entries(section)
    .map(([key, value]) => `${key}=${value}`)
    .join('\n');
}

function profile(link: NetworkLink, settings: NetworkSettings): Profile {
  const { id, kind, name, match } = link;
  const master = settings.links.find(
    ({ bond, bridge }) => bond?.members.includes(id) || bridge?.members.includes(id),
  );
  const isCard = kind === 'ethernet' || kind === 'infiniband';
  const connection: Section = {
    ...{ id: `slipway ${id}`, uuid: connectionUuid(id), type: kind, 'autoconnect-priority': '120' },
    ...(name !== undefined && match === undefined ? { 'interface-name': name } : {}),
    ...(master === undefined
      ? {}
      : { master: connectionUuid(master.id), 'slave-type': master.bond ? 'bond' : 'bridge' }),
  };
  const four = family(link, settings, 4);
  // Where nothing is said of IPv6, routers say it, as with networkd.
  const isPlain = link.acceptRa === undefined && (link.dhcp4 !== undefined || link.addresses.length > 0);
  const found = family(link, settings, 6);
  const six = found.method === 'disabled' && isPlain ? undefined : found;
  return {
    connection,
    ...(match?.name === undefined && match?.driver === undefined ? {} : { match: matched(match) }),
    [kind]: ofKind(link, settings),
    // Bonds, bridges and vlans have the size of their frames in the section of cards.
    ...(isCard || link.mtu === undefined ? {} : { ethernet: { mtu: String(link.mtu) } }),
    ...(master === undefined ? { ipv4: four, ...(six === undefined ? {} : { ipv6: six }) } : {}),
  };
}

function matched({ name, driver }: NonNullable<NetworkLink['match']>): Section {
  return {
    ...(name === undefined ? {} : { 'interface-name': `${name};` }),
    ...(driver === undefined ? {} : { driver: driver.map((each) => `${each};`).join('') }),
  };
}

function ofKind(link: NetworkLink, { links }: NetworkSettings): Section {
  const { match, mtu, wakeOnLan, vlan, bond, bridge, mac, kind } = link;
  if (vlan !== undefined) {
    const parent = links.find(({ id }) => id === vlan.link);
    return { id: String(vlan.id), parent: parent === undefined ? vlan.link : connectionUuid(parent.id) };
  }
  if (bond !== undefined) return bondOptions(bond.parameters);
  if (bridge !== undefined) {
    const { stp, priority } = bridge.parameters;
    const seconds = ['forward-delay', 'hello-time', 'max-age', 'ageing-time'] as const;
    return {
      ...omitUndefined({ stp, priority }),
      ...Object.fromEntries(
        seconds.flatMap((key) => {
          const value = bridge.parameters[key];
          return value === undefined ? [] : [[key, value]];
        }),
      ),
      ...(mac === undefined ? {} : { 'mac-address': mac.toUpperCase() }),
    };
  }
  return {
    ...(kind === 'infiniband' && mtu !== undefined ? { 'transport-mode': 'datagram' } : {}),
    ...(wakeOnLan === true ? { 'wake-on-lan': '64' } : {}),
    ...(mtu === undefined ? {} : { mtu: String(mtu) }),
    ...(match?.mac === undefined ? {} : { 'mac-address': match.mac.toUpperCase() }),
    ...(mac === undefined ? {} : { 'cloned-mac-address': mac.toUpperCase() }),
  };
}

/** The kernel's names of what netplan calls otherwise. */
const BOND: Readonly<Record<string, string>> = {
  'mii-monitor-interval': 'miimon',
  'down-delay': 'downdelay',
  'up-delay': 'updelay',
  'transmit-hash-policy': 'xmit_hash_policy',
  'gratuitous-arp': 'num_grat_arp',
  'fail-over-mac-policy': 'fail_over_mac',
  'primary-reselect-policy': 'primary_reselect',
  'arp-ip-targets': 'arp_ip_target',
  'learn-packet-interval': 'lp_interval',
};

function bondOptions(parameters: Record<string, string>): Section {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [
      BOND[name] ?? name.replaceAll('-', '_'),
      value === 'true' ? '1' : value === 'false' ? '0' : value.replaceAll(' ', ','),
    ]),
  );
}

const METHODS6 = { any: 'auto', slaac: 'auto', stateless: 'auto', stateful: 'dhcp' } as const;

function family(
  link: NetworkLink,
  { dns: all, routes: everywhere }: NetworkSettings,
  version: 4 | 6,
): Section {
  const isSix = version === 6;
  const mine = (address: string) => address.includes(':') === isSix;
  const addresses = link.addresses.filter(mine);
  const dhcp = isSix ? link.dhcp6 : link.dhcp4;
  const method = dhcp
    ? isSix && link.dhcp6
      ? METHODS6[link.dhcp6.mode]
      : 'auto'
    : addresses.length > 0
      ? 'manual'
      : isSix && link.acceptRa === true
        ? 'auto'
        : 'disabled';
  if (method === 'disabled') return { method };
  const both = link.dhcp4 !== undefined && link.dhcp6 !== undefined;
  const servers = link.dns.servers.length > 0 ? link.dns.servers : all.servers;
  const search = link.dns.search.length > 0 ? link.dns.search : all.search;
  const own = servers.filter(mine);
  const routes = [...link.routes, ...everywhere].filter(({ to }) => mine(to));
  return {
    method,
    'may-fail': String(both),
    ...Object.fromEntries(addresses.map((address, index) => [`address${index + 1}`, address])),
    ...routeKeys(routes),
    ...ruleKeys(link.rules.filter(({ from, to }) => mine(from ?? to ?? ''))),
    ...(dhcp?.metric === undefined ? {} : { 'route-metric': String(dhcp.metric) }),
    ...(own.length > 0 ? { dns: own.map((server) => `${server};`).join('') } : {}),
    ...(search.length > 0 ? { 'dns-search': search.map((domain) => `${domain};`).join('') } : {}),
    ...(dhcp?.useDns === false ? { 'ignore-auto-dns': 'true' } : {}),
    ...(dhcp?.useRoutes === false ? { 'ignore-auto-routes': 'true' } : {}),
    ...(dhcp?.sendHostname === false ? { 'dhcp-send-hostname': 'false' } : {}),
    ...(dhcp?.hostname === undefined ? {} : { 'dhcp-hostname': dhcp.hostname }),
    ...(isSix && link.mtu6 !== undefined ? { mtu: String(link.mtu6) } : {}),
  };
}

function routeKeys(routes: readonly NetworkRoute[]): Section {
  return Object.fromEntries(
    routes.flatMap(({ to, via, metric, onLink, table, mtu, from, type, scope }, index) => {
      const key = `route${index + 1}`;
      const target = [to, via ?? (metric === undefined ? undefined : ''), metric].filter(
        (each) => each !== undefined,
      );
      const options = [
        onLink && 'onlink=true',
        table !== undefined && `table=${table}`,
        mtu !== undefined && `mtu=${mtu}`,
        from && `src=${from}`,
        type && `type=${type}`,
        scope && `scope=${scope}`,
      ].filter((each) => typeof each === 'string');
      return [
        [key, target.join(',')],
        ...(options.length > 0 ? [[`${key}_options`, options.join(',')]] : []),
      ];
    }),
  );
}

/** A rule without a priority is none for NetworkManager; netplan's own comes after all that is said. */
function ruleKeys(rules: readonly RoutingRule[]): Section {
  return Object.fromEntries(
    rules.map(({ from, to, table, priority = 32_765, mark, tos }, index) => [
      `routing-rule${index + 1}`,
      [
        `priority ${priority}`,
        ...(from === undefined ? [] : [`from ${from}`]),
        ...(to === undefined ? [] : [`to ${to}`]),
        ...(tos === undefined ? [] : [`tos ${tos}`]),
        ...(mark === undefined ? [] : [`fwmark ${mark}`]),
        `table ${table ?? 254}`,
      ].join(' '),
    ]),
  );
}
