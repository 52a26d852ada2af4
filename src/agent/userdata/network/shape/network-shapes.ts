import {
  bool,
  either,
  like,
  list,
  loose,
  map,
  nothing,
  oneOf,
  type Shape,
  table,
  text,
  wholeNumber,
} from '../../../text/shape/shape.ts';

const words = either(list(text), text);
const route = loose({
  ...{ network: text, destination: text, gateway: text, metric: wholeNumber() },
  // As a length, too.
  netmask: either(text, wholeNumber()),
});
const subnet = loose({
  ...{ type: text, address: text, netmask: either(text, wholeNumber()), broadcast: text, gateway: text },
  control: oneOf('manual', 'auto', 'hotplug'),
  ...{ dns_nameservers: words, dns_search: words, routes: list(route) },
  ...{ ipv4: bool, ipv6: bool, metric: wholeNumber() },
});
const device = {
  ...{ name: text, mac_address: text, mtu: wholeNumber(), subnets: list(subnet) },
  ...{ 'accept-ra': bool, keep_configuration: bool, optional: bool, wakeonlan: bool },
};

/** Parameters by their names without `bond-` and `bridge_`. What the schema calls a text and the kernel a number is either. */
const BOND = {
  ...{
    'active-slave': text,
    'ad-actor-sys-prio': wholeNumber(),
    'ad-num-ports': wholeNumber(),
    'ad-select': text,
  },
  ...{
    'all-slaves-active': either(text, bool, wholeNumber()),
    'arp-all-targets': text,
    'arp-interval': wholeNumber(),
  },
  ...{
    'arp-ip-target': words,
    'arp-validate': either(bool, text),
    downdelay: wholeNumber(),
    'fail-over-mac': text,
  },
  ...{
    'lacp-rate': text,
    'lp-interval': wholeNumber(),
    miimon: wholeNumber(),
    'min-links': wholeNumber(),
    primary: text,
  },
  ...{
    'num-grat-arp': wholeNumber(0, 255),
    'num-unsol-na': wholeNumber(0, 255),
    'packets-per-slave': wholeNumber(0, 65_535),
  },
  ...{ slaves: words, updelay: either(wholeNumber(), like(/^\d+$/, 'a number')), 'xmit-hash-policy': text },
  'primary-reselect': oneOf('always', 'better', 'failure'),
  mode: either(
    oneOf(
      ...['balance-rr', 'active-backup', 'balance-alb', 'balance-tcp', 'balance-tlb', 'balance-slb'],
      ...['balance-xor', 'broadcast', '802.3ad'],
    ),
    wholeNumber(0, 6),
  ),
};
const BRIDGE = {
  ...{
    ageing: wholeNumber(),
    bridgeprio: wholeNumber(),
    fd: wholeNumber(),
    hello: wholeNumber(),
    hw: text,
    maxage: wholeNumber(),
  },
  ...{
    maxwait: wholeNumber(),
    pathcost: list(text),
    portprio: list(text),
    ports: words,
    waitport: list(text),
  },
  stp: either(oneOf('on', 'off'), bool),
};

/** The items of version 1's list by their `type`. */
export const DEVICES: Readonly<Record<string, Shape>> = {
  physical: loose({ ...device, mtu: either(wholeNumber(), nothing) }),
  bond: loose({ ...device, bond_interfaces: list(text), params: loose(spelled('bond', BOND)) }),
  bridge: loose({ ...device, bridge_interfaces: list(text), params: loose(spelled('bridge', BRIDGE)) }),
  vlan: loose({ ...device, vlan_link: text, vlan_id: wholeNumber() }),
  nameserver: loose({ address: words, search: list(text), interface: text }),
  route,
};

/** `bond-arp-interval` is written with `_` as well, in either place. */
function spelled(prefix: string, shapes: Readonly<Record<string, Shape>>): Record<string, Shape> {
  const names = (name: string) =>
    [name, name.replaceAll('-', '_')].flatMap((one) => [`${prefix}-${one}`, `${prefix}_${one}`, one]);
  return Object.fromEntries(
    Object.entries(shapes).flatMap(([name, shape]) => names(name).map((one) => [one, shape])),
  );
}

/** netplan takes a time with its unit, too; the schema has a text here and a number there. */
const number = either(wholeNumber(0), like(/^\d+(?:ms|s)?$/, 'a time such as 100ms'));
const dhcp = either(bool, oneOf('yes', 'no'));
const overrides = map({
  ...{ hostname: text, 'route-metric': wholeNumber(), 'send-hostname': bool, 'use-dns': bool },
  ...{ 'use-domains': either(text, bool), 'use-hostname': bool, 'use-mtu': bool, 'use-ntp': bool },
  'use-routes': bool,
});
/** netplan has addresses with options, too. */
const address = either(text, table(loose({})));
const common = {
  renderer: oneOf('networkd', 'NetworkManager', 'sriov'),
  ...{ dhcp4: dhcp, dhcp6: dhcp, 'dhcp4-overrides': overrides, 'dhcp6-overrides': overrides },
  ...{ addresses: list(address), gateway4: text, gateway6: text, optional: bool, mtu: wholeNumber() },
  nameservers: map({ search: list(text), addresses: list(text) }),
  routes: list(
    map({
      ...{
        to: text,
        via: text,
        metric: wholeNumber(),
        from: text,
        type: text,
        scope: text,
        table: wholeNumber(),
      },
      ...{
        'on-link': bool,
        mtu: wholeNumber(),
        'congestion-window': wholeNumber(),
        'advertised-receive-window': wholeNumber(),
      },
      'advertised-mss': wholeNumber(),
    }),
  ),
};
const NETPLAN_BOND = {
  mode: oneOf(
    ...['balance-rr', 'active-backup', 'balance-xor', 'broadcast', '802.3ad', 'balance-tlb', 'balance-alb'],
  ),
  ...{ 'lacp-rate': oneOf('fast', 'slow'), 'mii-monitor-interval': number, 'min-links': wholeNumber() },
  'transmit-hash-policy': oneOf(...['layer2', 'layer3+4', 'layer2+3', 'encap2+3', 'encap3+4', 'vlan+srcmac']),
  ...{
    'ad-select': oneOf('stable', 'bandwidth', 'count'),
    'all-slaves-active': bool,
    'arp-interval': number,
  },
  ...{ 'arp-ip-targets': list(text), 'arp-validate': oneOf('none', 'active', 'backup', 'all') },
  ...{ 'arp-all-targets': oneOf('any', 'all'), 'up-delay': number, 'down-delay': number },
  'fail-over-mac-policy': oneOf('none', 'active', 'follow'),
  ...{ 'gratuitous-arp': wholeNumber(), 'packets-per-slave': wholeNumber(), 'learn-packet-interval': number },
  'primary-reselect-policy': oneOf('always', 'better', 'failure'),
};
const NETPLAN_BRIDGE = {
  ...{ 'ageing-time': number, priority: wholeNumber(), 'forward-delay': number, 'hello-time': number },
  ...{
    'max-age': number,
    'path-cost': either(table(wholeNumber(), /^[\w.@-]+$/, 'interface names'), wholeNumber()),
    stp: bool,
  },
};

/** netplan's own form; what only netplan knows of it has any. */
export const VERSION2 = loose({
  renderer: oneOf('networkd', 'NetworkManager', 'sriov'),
  ethernets: table(
    loose({
      ...common,
      match: map({ name: text, macaddress: text, driver: either(text, list(text, { min: 1 })) }),
      ...{ 'set-name': text, wakeonlan: bool },
    }),
  ),
  bonds: table(loose({ ...common, interfaces: list(text), parameters: loose(NETPLAN_BOND) })),
  bridges: table(loose({ ...common, interfaces: list(text), parameters: loose(NETPLAN_BRIDGE) })),
  vlans: table(loose({ ...common, id: wholeNumber(), link: text })),
});
