import { describe, expect, test } from 'vitest';
import { networkFromKernelLine } from './choose-network.ts';
import { readNetwork } from './read-network.ts';
import { containsAddress, destination, network } from './values.ts';

const read = (text: string, format: 'cloud-init' | 'openstack' = 'cloud-init', cards?: Map<string, string>) =>
  readNetwork({ format, text, place: 'network-config' }, cards);
const told = (text: string, format?: 'openstack') => read(text, format).report.map(({ message }) => message);

describe('values', () => {
  test.each([
    ['10.0.0.5', '255.255.255.0', '10.0.0.5/24'],
    ['10.0.0.5', '255.255.255.255', '10.0.0.5/32'],
    ['10.0.0.5', '0.0.0.0', '10.0.0.5/0'],
    ['10.0.0.5/255.255.0.0', undefined, '10.0.0.5/16'],
    ['10.0.0.5', undefined, '10.0.0.5/24'],
    ['fd00::5', 'ffff:ffff:ffff::', 'fd00::5/48'],
    ['fd00::5', undefined, 'fd00::5/64'],
    ['10.0.0.5/33', undefined, undefined],
    ['10.0.0.5', '255.0.255.0', undefined],
    ['fd00::5/129', undefined, undefined],
    ['10.0.0.5/24/24', undefined, undefined],
    ['fe80::1%eth0', undefined, undefined],
  ])('%s with %s is %s', (address, mask, expected) => {
    expect(network(address, mask)).toBe(expected);
  });

  test('know what a network holds', () => {
    expect(containsAddress('10.0.0.5/24', '10.0.0.254')).toBe(true);
    expect(containsAddress('10.0.0.5/32', '10.0.0.1')).toBe(false);
    expect(containsAddress('fd00::5/64', 'fd00::ffff:1')).toBe(true);
    expect(containsAddress('::ffff:10.0.0.1/120', '::ffff:a00:2')).toBe(true);
    expect(containsAddress('10.0.0.5/24', 'fd00::1')).toBe(false);
    expect(destination('default', undefined, 'fe80::1')).toBe('::/0');
  });
});

describe('version 1', () => {
  test('reads devices with their subnets, routes and name servers', () => {
    const { settings, report } = read(`
version: 1
config:
- type: physical
  name: eth0
  mac_address: "52:54:00:12:34:56"
  mtu: 1400
  subnets:
  - {type: static, address: 10.0.0.5, netmask: 255.255.255.0, gateway: 10.0.0.1, dns_nameservers: [10.0.0.3]}
  - {type: static6, address: "fd00::5/64", routes: [{network: "fd01::", netmask: 48, gateway: "fd00::9", metric: 3}]}
- {type: bond, name: bond0, bond_interfaces: [eth1, eth2], params: {bond-mode: 1, bond_miimon: 100}}
- {type: vlan, name: bond0.7, vlan_link: bond0, vlan_id: 7, subnets: [{type: dhcp4, metric: 9}]}
- {type: nameserver, address: [10.0.0.4], search: [example.org]}
- {type: route, destination: 10.9.0.0/16, gateway: 10.0.0.7}
`);
    expect(report).toEqual([]);
    expect(settings?.links.map(({ id, kind }) => `${id} ${kind}`)).toEqual([
      ...['eth1 ethernet', 'eth2 ethernet', 'eth0 ethernet', 'bond0 bond', 'bond0.7 vlan'],
    ]);
    expect(settings?.links[2]).toMatchObject({
      match: { mac: '52:54:00:12:34:56' },
      renames: true,
      mtu: 1400,
      addresses: ['10.0.0.5/24', 'fd00::5/64'],
      routes: [
        { to: '0.0.0.0/0', via: '10.0.0.1' },
        { to: 'fd01::/48', via: 'fd00::9', metric: 3 },
      ],
      dns: { servers: ['10.0.0.3'] },
    });
    expect(settings?.links[3]?.bond?.parameters).toEqual({
      mode: 'active-backup',
      'mii-monitor-interval': '100',
    });
    expect(settings?.links[4]).toMatchObject({ vlan: { id: 7, link: 'bond0' }, dhcp4: { metric: 9 } });
    expect(settings).toMatchObject({
      dns: { servers: ['10.0.0.4'], search: ['example.org'] },
      routes: [{ to: '10.9.0.0/16', via: '10.0.0.7' }],
    });
  });

  test('a gateway outside of the subnet is reached on the link', () => {
    const { settings } = read(
      'version: 1\nconfig: [{type: physical, name: a, subnets: [{type: static, address: 1.2.3.4/32, gateway: 5.6.7.8}]}]\n',
    );
    expect(settings?.links[0]?.routes).toEqual([{ to: '0.0.0.0/0', via: '5.6.7.8', onLink: true }]);
  });
});

describe('version 2', () => {
  test('reads what it knows, and keeps all of it for netplan', () => {
    const { settings, report } = read(`network:
  version: 2
  ethernets:
    lan:
      match: {name: "en*", driver: [virtio_net]}
      dhcp4: true
      dhcp4-overrides: {route-metric: 50, use-dns: false}
      critical: true
  wifis: {wl0: {access-points: {x: {password: geheim}}}}
`);
    expect(report).toEqual([]);
    expect(settings?.links).toMatchObject([
      {
        id: 'lan',
        match: { name: 'en*', driver: ['virtio_net'] },
        dhcp4: { metric: 50, useDns: false },
        renames: false,
      },
    ]);
    expect(settings?.onlyNetplan).toEqual(['ethernets.lan.critical', 'wifis']);
    expect(JSON.stringify(settings)).not.toContain('geheim');
    expect(settings?.netplan?.reveal()).toContain('geheim');
  });
});

test.each([
  ['version: "2"\nethernets: {a: {dhcp4: true}}\n', 'line 1, column 10: version must be a number'],
  ['version: 2\nethernets:\n  a: {mtu: "1400"}\n', 'line 3, column 12: ethernets.a.mtu must be a number'],
  [
    'version: 2\nethernets:\n  a:\n    nameservers: {adresses: [1.1.1.1]}\n',
    'nameservers.adresses is not known',
  ],
  ['version: 2\nrenderer: 5\nethernets: {a: {}}\n', 'renderer must be networkd or NetworkManager'],
  [
    'version: 1\nconfig:\n- type: physical\n  name: a\n  subnets: [{type: dhcp, control: x}]\n',
    'line 5, column 35: config.0.subnets.0.control must be manual or auto or hotplug',
  ],
  ['network: {version: 2, ethernets: {a: {}}}\nether: {}\n', 'line 2, column 1: ether is not known'],
  ['version: 1\nconfig: []\nethernets: {}\n', 'line 3, column 1: ethernets is not known'],
])('%j is taken, and not in silence', (text, words) => {
  expect(read(text).report.map(({ severity }) => severity)).toEqual(['warning']);
  expect(told(text).join()).toContain(words);
});

test('what else stands in a file of the image is none of its business', () => {
  const text = 'network: {version: 2, ethernets: {a: {}}}\nusers: [default]\n';
  const config = { format: 'cloud-init', text, place: '/etc/cloud/cloud.cfg' } as const;
  expect(readNetwork({ ...config, isOneKeyOf: true }).report).toEqual([]);
});

test('a configuration on one line has a warning for each of its places that is wrong', () => {
  const text =
    '{"version": 2, "ethernets": {"a": {"dhcp4": true, "mtu": "1500"}, "b": {"optional": "no"}}, "renderer": "x"}';
  expect(told(text).map((message) => message.replace(/^.*: /, '').split(' ')[0])).toEqual([
    'ethernets.a.mtu',
    'ethernets.b.optional',
    'renderer',
  ]);
});

test.each([
  ['version: 2\nethernet: {a: {dhcp4: true}}\n', 'ethernet is not a version 2 section.'],
  ['version: 2\nethernets: {a: {dhpc4: true}}\n', 'ethernets.a: dhpc4 is not known to Slipway or netplan.'],
])('what not even netplan knows is told: %j', (text, message) => {
  expect(told(text)).toEqual([expect.stringContaining(message)]);
  expect(told('version: 2\ntunnels: {t: {}}\nethernets: {a: {critical: true}}\n')).toEqual([]);
});

test('what is for netplan alone is no silence', () => {
  const { settings } = read('version: 2\nwifis: {w: {access-points: {a: {password: x}}}}\n');
  expect(settings).toMatchObject({ links: [], onlyNetplan: ['wifis'] });
});

test("reads OpenStack's network_data.json with the names of this machine's cards", () => {
  const text = JSON.stringify({
    links: [
      { id: 'tap0', type: 'ovs', ethernet_mac_address: 'FA:16:3e:00:00:01', mtu: 1450 },
      { id: 'v', type: 'vlan', vlan_link: 'tap0', vlan_id: 7, vlan_mac_address: 'fa:16:3e:00:00:02' },
    ],
    networks: [
      {
        ...{ id: 'n', type: 'ipv4', link: 'tap0', ip_address: '10.0.0.5', netmask: '255.255.255.0' },
        routes: [{ network: '0.0.0.0', netmask: '0.0.0.0', gateway: '10.0.0.1' }],
        services: [{ type: 'dns', address: '10.0.0.2' }],
      },
      { id: 'm', type: 'ipv4_dhcp', link: 'v' },
    ],
    services: [{ type: 'dns', address: '8.8.8.8' }],
  });
  const { settings, report } = read(text, 'openstack', new Map([['fa:16:3e:00:00:01', 'eth7']]));
  expect(report).toEqual([]);
  expect(settings?.links).toMatchObject([
    {
      ...{ id: 'eth7', match: { mac: 'fa:16:3e:00:00:01' }, addresses: ['10.0.0.5/24'], mtu: 1450 },
      routes: [{ to: '0.0.0.0/0', via: '10.0.0.1' }],
      dns: { servers: ['10.0.0.2'] },
    },
    { id: 'eth7.7', mac: 'fa:16:3e:00:00:02', vlan: { id: 7, link: 'eth7' }, dhcp4: {} },
  ]);
  expect(settings?.dns.servers).toEqual(['8.8.8.8']);
});

describe('what is wrong is told at its place', () => {
  test.each([
    ['[1]', 'network-config line 1, column 1: A network configuration must be a mapping.'],
    [
      'version: 3',
      'network-config line 1, column 10: A network configuration must set version: 1 or version: 2.',
    ],
    ['version: 2\nethernets: {a: {addresses: [10.0.0.300/24]}}', 'line 2, column 29'],
    ['version: 2\nethernets: {a: {gateway4: "fd00::1"}}', 'gateway4 must be an IPv4 address'],
    ['version: 2\nethernets: {"a/../b": {dhcp4: true}}', 'must consist of letters'],
    ['version: 2\nethernets: {"a\\nb": {dhcp4: true}}', 'must consist of letters'],
    ['version: 2\nethernets: {a: {set-name: much-too-long-a-name, match: {macaddress: x}}}', 'at most 15'],
    ['version: 2\nethernets: {a: {nameservers: {addresses: ["1.1.1.1\\nX=y"]}}}', 'name server addresses'],
    ['version: 2\nvlans: {v: {link: eth0}}', 'a vlan must have an id'],
    ['version: 2\nbonds: {b: {parameters: {mode: "a\\n[Match]"}}}', 'single word'],
    ['version: 1\nconfig: [{type: physical}]', 'must have a name'],
    ['version: 1\nconfig: [{type: nonsense, name: a}]', 'type is not known'],
    ['version: 1\nconfig: [{type: nameserver, address: 1.1.1.1, interface: b}]', 'does not exist'],
    ['version: 1\nconfig: [{type: physical, name: a, subnets: [{type: static}]}]', 'must have an address'],
    [
      'version: 1\nconfig: [{type: physical, name: a}, {type: physical, name: a}]',
      'interface a is defined twice',
    ],
    ['a: [', 'network-config line 1'],
    ['version: 2\nbonds: {b: {interfaces: [b]}}', 'b is its own parent.'],
    [
      'version: 2\nbonds: {b: {interfaces: [c]}}\nbridges: {c: {interfaces: [v]}}\nvlans: {v: {id: 5, link: b}}',
      'its own parent',
    ],
    ['version: 2\nbonds: {b: {interfaces: [a]}, c: {interfaces: [a]}}', 'a is a member of both b and c.'],
  ])('%s', (text, message) => {
    const { settings } = read(text);
    expect(settings).toBeUndefined();
    expect(told(text).join('\n')).toContain(message);
  });

  test('bytes that are no UTF-8, of which cloud-init would set up nothing', () => {
    const latin1 = Buffer.from('version: 2\n# für w1\nethernets: {a: {dhcp4: true}}\n', 'latin1');
    expect(told(latin1.toString('utf8'))).toEqual([
      'network-config line 2, column 4: This is U+FFFD, which replaces bytes that are not UTF-8; cloud-init rejects a network configuration with such bytes.',
    ]);
    expect(told('version: 2\n# für w1\nethernets: {a: {dhcp4: true}}\n')).toEqual([]);
  });

  test('links of network_data.json that are not there', () => {
    expect(told('{"networks": [{"link": "x", "type": "ipv4_dhcp"}]}', 'openstack')).toEqual([
      'network-config line 1, column 24: networks: link names a link that does not exist.',
    ]);
  });
});

describe('the kernel command line', () => {
  test('gives a configuration in base64, or a static address', () => {
    const encoded = Buffer.from('version: 2\n').toString('base64');
    expect(networkFromKernelLine(`quiet network-config=${encoded}`)?.text).toBe('version: 2\n');
    const config = networkFromKernelLine(
      'ip=10.0.0.5::10.0.0.1:255.255.255.0:host:eth0:none:10.0.0.3 ip=dhcp',
    );
    expect(config && readNetwork(config).settings?.links).toMatchObject([
      {
        ...{ id: 'eth0', addresses: ['10.0.0.5/24'], routes: [{ to: '0.0.0.0/0', via: '10.0.0.1' }] },
        dns: { servers: ['10.0.0.3'] },
      },
    ]);
    const six = networkFromKernelLine('ip=[fd00::5]::[fd00::1]:64::eth0:none');
    expect(six && readNetwork(six).settings?.links).toMatchObject([
      { addresses: ['fd00::5/64'], routes: [{ to: '::/0', via: 'fd00::1' }] },
    ]);
    for (const line of ['ip=dhcp', 'ip=eth0:dhcp', 'ip=10.0.0.5', 'quiet', ''])
      expect(networkFromKernelLine(line)).toBeUndefined();
    const disabled = networkFromKernelLine('network-config=disabled');
    expect(disabled && readNetwork(disabled).isDisabled).toBe(true);
  });
});

describe('more interfaces than any machine has', () => {
  const names = Array.from({ length: 20_000 }, (_, n) => `e${n}`);
  test.each([
    ['on their own', `version: 2\nethernets: {${names.map((name) => `${name}: {}`).join(', ')}}\n`],
    [
      'as members of a bond',
      `version: 1\nconfig: [{type: bond, name: bond0, bond_interfaces: [${names.join(', ')}]}]\n`,
    ],
  ])('are refused at once, %s', (_, text) => {
    expect(told(text)).toEqual(['network-config line 1, column 1: There are more than 500 interfaces.']);
  });
});
