import {
  bool,
  either,
  like,
  list,
  loose,
  map,
  oneOf,
  table,
  text,
  wholeNumber,
} from '../../../text/shape/shape.ts';

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
const BOND = {
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
const BRIDGE = {
  ...{ 'ageing-time': number, priority: wholeNumber(), 'forward-delay': number, 'hello-time': number },
  ...{
    'max-age': number,
    'path-cost': either(table(wholeNumber(), /^[\w.@-]+$/, 'names of interfaces'), wholeNumber()),
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
  bonds: table(loose({ ...common, interfaces: list(text), parameters: loose(BOND) })),
  bridges: table(loose({ ...common, interfaces: list(text), parameters: loose(BRIDGE) })),
  vlans: table(loose({ ...common, id: wholeNumber(), link: text })),
});
