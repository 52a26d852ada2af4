/** What netplan knows beside what is read here; nobody makes anything of other names. */
const SECTIONS: ReadonlySet<string> = new Set([
  ...[
    'dummy-devices',
    'modems',
    'nm-devices',
    'openvswitch',
    'tunnels',
    'virtual-ethernets',
    'vrfs',
    'wifis',
  ],
]);
const KEYS: ReadonlySet<string> = new Set([
  ...['activation-mode', 'auth', 'critical', 'delay-virtual-functions-rebind', 'dhcp-identifier'],
  ...[
    'embedded-switch-mode',
    'emit-lldp',
    'generic-receive-offload',
    'generic-segmentation-offload',
    'hairpin',
  ],
  ...['ignore-carrier', 'infiniband-mode', 'ipv6-address-generation', 'ipv6-address-token', 'ipv6-privacy'],
  ...['large-receive-offload', 'link', 'link-local', 'neigh-suppress', 'networkmanager', 'openvswitch'],
  ...['optional-addresses', 'port-mac-learning', 'ra-overrides', 'receive-checksum-offload'],
  ...[
    'regulatory-domain',
    'tcp-segmentation-offload',
    'tcp6-segmentation-offload',
    'transmit-checksum-offload',
  ],
  ...['virtual-function-count', 'wakeonwlan'],
]);

export const isNetplanSection = (name: string): boolean => SECTIONS.has(name);
export const isNetplanKey = (name: string): boolean => KEYS.has(name);
