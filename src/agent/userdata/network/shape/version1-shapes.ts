import {
  bool,
  either,
  like,
  list,
  loose,
  nothing,
  oneOf,
  type Shape,
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
