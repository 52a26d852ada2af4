import type {
  LinkMatch,
  NetworkLink,
  NetworkRoute,
  NetworkSettings,
} from '../../document/network-settings.ts';
import { HEADER, type RenderedFile } from './rendered.ts';

const DIRECTORY = '/etc/systemd/network';
/** Before what images bring along (mostly 99-...), after what operators put first. */
const PREFIX = '10-slipway-';

/** A section of systemd's files: lines `Key=value` in their order. */
type Section = [name: string, lines: (string | false | undefined)[]];

/** systemd.network(5), systemd.netdev(5) and systemd.link(5). */
export function renderNetworkd(settings: NetworkSettings): RenderedFile[] {
  return settings.links.flatMap((link) => [
    ...linkFile(link),
    ...netdevFile(link),
    file(`${link.id}.network`, networkSections(link, settings)),
  ]);
}

function file(name: string, sections: Section[]): RenderedFile {
  const body = sections
    .map(([title, lines]) => [title, lines.filter((line) => typeof line === 'string')] as const)
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => `[${title}]\n${lines.join('\n')}\n`);
  return { path: `${DIRECTORY}/${PREFIX}${name}`, content: `${HEADER}\n\n${body.join('\n')}`, mode: 0o644 };
}

/** udev names the card at the next boot, and switches on that it wakes the machine. */
export function linkFile({ id, match, name, renames, wakeOnLan }: NetworkLink): RenderedFile[] {
  if (!renames && wakeOnLan !== true) return [];
  const sections: Section[] = [
    ['Match', matchLines(match ?? { name: name ?? id }, 'MACAddress')],
    [
      'Link',
      [
        renames ? `Name=${name}` : 'NamePolicy=keep kernel database onboard slot path',
        wakeOnLan === true && 'WakeOnLan=magic',
      ],
    ],
  ];
  return [file(`${id}.link`, sections)];
}

function matchLines({ mac, driver, name }: Partial<LinkMatch>, macKey: string): string[] {
  return [
    ...(mac === undefined ? [] : [`${macKey}=${mac}`]),
    ...(driver === undefined ? [] : [`Driver=${driver.join(' ')}`]),
    ...(name === undefined ? [] : [`Name=${name}`]),
  ];
}

function networkSections(link: NetworkLink, { links, dns: all, routes }: NetworkSettings): Section[] {
  const { match, name, id } = link;
  const dns = withAll(link.dns, all);
  const bond = links.find((each) => each.bond?.members.includes(id));
  const bridge = links.find((each) => each.bridge?.members.includes(id));
  return [
    // The card is known by what matches, whatever it is called now; in a bond all have the address of the first.
    [
      'Match',
      [
        ...matchLines(match ?? { name: name ?? id }, bond ? 'PermanentMACAddress' : 'MACAddress'),
        ...kindLines(link),
      ],
    ],
    [
      'Link',
      [
        link.mtu !== undefined && `MTUBytes=${link.mtu}`,
        link.mac !== undefined && `MACAddress=${link.mac}`,
        link.optional === true && 'RequiredForOnline=no',
      ],
    ],
    [
      'Network',
      [
        ...links.filter(({ vlan }) => vlan?.link === id).map((vlan) => `VLAN=${vlan.name}`),
        bond && `Bond=${bond.name}`,
        bridge && `Bridge=${bridge.name}`,
        `DHCP=${dhcpOf(link)}`,
        link.acceptRa !== undefined && `IPv6AcceptRA=${yes(link.acceptRa)}`,
        link.mtu6 !== undefined && `IPv6MTUBytes=${link.mtu6}`,
        ...dns.servers.map((server) => `DNS=${server}`),
        dns.search.length > 0 && `Domains=${dns.search.join(' ')}`,
      ],
    ],
    ...link.addresses.map((address): Section => ['Address', [`Address=${address}`]]),
    ...[...link.routes, ...routes].map(routeSection),
    ...link.rules.map(
      ({ from, to, table, priority, mark, tos }): Section => [
        'RoutingPolicyRule',
        [
          from && `From=${from}`,
          to && `To=${to}`,
          table !== undefined && `Table=${table}`,
          priority !== undefined && `Priority=${priority}`,
          mark !== undefined && `FirewallMark=${mark}`,
          tos !== undefined && `TypeOfService=${tos}`,
        ],
      ],
    ),
    ...bridgePort(link.id, bridge),
    ...dhcpSections(link),
  ];
}

/** By a card's address alone a vlan on it would be found as well: it has the same. */
function kindLines({ kind, match }: NetworkLink): string[] {
  return kind === 'ethernet' && match?.mac !== undefined && match.name === undefined
    ? ['Kind=!vlan bond bridge']
    : [];
}

/** Its own come first; networkd asks them all. */
function withAll(own: NetworkLink['dns'], all: NetworkLink['dns']): NetworkLink['dns'] {
  return {
    servers: [...new Set([...own.servers, ...all.servers])],
    search: [...new Set([...own.search, ...all.search])],
  };
}

function dhcpOf({ dhcp4, dhcp6 }: NetworkLink): string {
  const six = dhcp6 !== undefined && dhcp6.mode !== 'slaac' && dhcp6.mode !== 'stateless';
  if (dhcp4 !== undefined) return six ? 'yes' : 'ipv4';
  return six ? 'ipv6' : 'no';
}

function routeSection({ to, via, metric, onLink, table, mtu, from, type, scope }: NetworkRoute): Section {
  return [
    'Route',
    [
      `Destination=${to}`,
      via && `Gateway=${via}`,
      onLink && 'GatewayOnLink=yes',
      metric !== undefined && `Metric=${metric}`,
      table !== undefined && `Table=${table}`,
      mtu !== undefined && `MTUBytes=${mtu}`,
      from && `PreferredSource=${from}`,
      type && `Type=${type}`,
      scope && `Scope=${scope}`,
    ],
  ];
}

function bridgePort(id: string, bridge: NetworkLink | undefined): Section[] {
  const { pathCost = {}, portPriority = {} } = bridge?.bridge ?? {};
  const [cost, priority] = [pathCost[id], portPriority[id]];
  return [
    ['Bridge', [cost !== undefined && `Cost=${cost}`, priority !== undefined && `Priority=${priority}`]],
  ];
}

function dhcpSections({ dhcp4, dhcp6 }: NetworkLink): Section[] {
  const lines = (settings: NetworkLink['dhcp4'], isFour: boolean): string[] => {
    if (settings === undefined) return [];
    const flags: [string, boolean | 'route' | undefined][] = [
      ['UseDNS', settings.useDns],
      ['UseDomains', settings.useDomains],
      ['UseHostname', settings.useHostname],
      ['UseNTP', settings.useNtp],
      ...(isFour
        ? ([
            ['UseMTU', settings.useMtu],
            ['UseRoutes', settings.useRoutes],
            ['SendHostname', settings.sendHostname],
          ] as [string, boolean | undefined][])
        : []),
    ];
    return [
      ...(settings.metric !== undefined && isFour ? [`RouteMetric=${settings.metric}`] : []),
      ...(settings.hostname !== undefined && isFour ? [`Hostname=${settings.hostname}`] : []),
      ...flags.flatMap(([key, value]) =>
        value === undefined ? [] : [`${key}=${value === 'route' ? 'route' : yes(value)}`],
      ),
    ];
  };
  const ra = dhcp6?.metric === undefined ? [] : [`RouteMetric=${dhcp6.metric}`];
  return [
    ['DHCPv4', lines(dhcp4, true)],
    ['DHCPv6', lines(dhcp6, false)],
    ['IPv6AcceptRA', ra],
  ];
}

function yes(value: boolean): string {
  return value ? 'yes' : 'no';
}

/** Parameters by netplan's names; milliseconds are said, for systemd takes seconds. */
const BOND: Readonly<Record<string, [key: string, unit?: 'ms']>> = {
  'ad-select': ['AdSelect'],
  'all-slaves-active': ['AllSlavesActive'],
  'arp-all-targets': ['ARPAllTargets'],
  'arp-interval': ['ARPIntervalSec', 'ms'],
  'arp-ip-targets': ['ARPIPTargets'],
  'arp-validate': ['ARPValidate'],
  'down-delay': ['DownDelaySec', 'ms'],
  'fail-over-mac-policy': ['FailOverMACPolicy'],
  'gratuitous-arp': ['GratuitousARP'],
  'lacp-rate': ['LACPTransmitRate'],
  'learn-packet-interval': ['LearnPacketIntervalSec'],
  'mii-monitor-interval': ['MIIMonitorSec', 'ms'],
  'min-links': ['MinLinks'],
  mode: ['Mode'],
  'packets-per-slave': ['PacketsPerSlave'],
  'primary-reselect-policy': ['PrimaryReselectPolicy'],
  'transmit-hash-policy': ['TransmitHashPolicy'],
  'up-delay': ['UpDelaySec', 'ms'],
};
const BRIDGE: Readonly<Record<string, string>> = {
  'ageing-time': 'AgeingTimeSec',
  'forward-delay': 'ForwardDelaySec',
  'hello-time': 'HelloTimeSec',
  'max-age': 'MaxAgeSec',
  priority: 'Priority',
  stp: 'STP',
};

function netdevFile(link: NetworkLink): RenderedFile[] {
  const { id, kind, name, mtu, mac, bond, bridge, vlan } = link;
  if (bond === undefined && bridge === undefined && vlan === undefined) return [];
  const head: Section = [
    'NetDev',
    [`Name=${name}`, `Kind=${kind}`, mtu !== undefined && `MTUBytes=${mtu}`, mac && `MACAddress=${mac}`],
  ];
  const bondLines = Object.entries(bond?.parameters ?? {}).flatMap(([parameter, value]) => {
    const [key, unit = ''] = BOND[parameter] ?? [];
    if (key === undefined) return [];
    const text = parameter === 'arp-ip-targets' ? value.replaceAll(',', ' ') : value;
    return [`${key}=${text}${/^\d+$/.test(text) ? unit : ''}`];
  });
  const bridgeLines = Object.entries(bridge?.parameters ?? {}).flatMap(([parameter, value]) => {
    const key = BRIDGE[parameter];
    const text = value === 'true' ? 'yes' : value === 'false' ? 'no' : value;
    return key === undefined ? [] : [`${key}=${text}`];
  });
  return [
    file(`${id}.netdev`, [
      head,
      ['VLAN', [vlan && `Id=${vlan.id}`]],
      ['Bond', bondLines],
      ['Bridge', bridgeLines],
    ]),
  ];
}
