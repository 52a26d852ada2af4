import { beforeAll, describe, expect, test } from 'vitest';
import { runScenarios } from '../../../../../test/support/metadata/in-namespace.ts';
import type { Scenario, ScenarioResult } from '../../../../../test/support/metadata/scenario.ts';
import { KEY, USER_DATA } from '../../../../../test/support/metadata/tree.ts';

const DMI = '/sys/class/dmi/id';
const V4 = '169.254.169.254';
const vendor = (name: string) => ({ [`${DMI}/sys_vendor`]: `${name}\n` });
const MAAS = `datasource_list: [MAAS]
datasource:
  MAAS: {metadata_url: 'http://192.0.2.1:5240/MAAS/metadata/', consumer_key: ckey, token_key: tkey, token_secret: 'ts!cret'}
`;

/** Each cloud with the address or addresses that it answers at. */
const CLOUDS: {
  protocol: string;
  files: Record<string, string>;
  addresses: string[];
  port?: number;
  expected: object;
}[] = [
  {
    protocol: 'hetzner',
    files: { ...vendor('Hetzner'), [`${DMI}/product_serial`]: '4711\n' },
    addresses: [V4],
    expected: {
      recognised: 'sys_vendor is Hetzner',
      metaData: { 'local-hostname': 'node-1' },
      cloud: {
        providerId: 'hcloud://4711',
        region: 'eu-central',
        zone: 'hel1-dc2',
        addresses: ['192.0.2.9'],
        publicKeys: [KEY],
      },
    },
  },
  {
    protocol: 'digitalocean',
    files: vendor('DigitalOcean'),
    addresses: [V4],
    expected: {
      metaData: { 'instance-id': '2756294', 'local-hostname': 'node-1' },
      cloud: {
        providerId: 'digitalocean://2756294',
        region: 'nyc3',
        addresses: ['192.0.2.8'],
        publicKeys: [KEY],
      },
    },
  },
  {
    protocol: 'upcloud',
    files: vendor('UpCloud'),
    addresses: [V4],
    expected: {
      cloud: {
        providerId: 'upcloud:////0077f',
        region: 'de-fra1',
        addresses: ['10.0.0.6'],
        publicKeys: [KEY],
      },
    },
  },
  {
    protocol: 'vultr',
    files: { '/proc/cmdline': 'quiet vultr\n' },
    addresses: [V4],
    expected: {
      recognised: 'vultr on the kernel command line',
      metaData: { 'instance-id': 'v-1', region: 'us' },
      cloud: { providerId: 'vultr://v-1', addresses: ['192.0.2.6'], publicKeys: [KEY] },
    },
  },
  {
    protocol: 'oracle',
    files: { [`${DMI}/chassis_asset_tag`]: 'OracleCloud.com\n' },
    addresses: [V4, 'fd00:c1::a9fe:a9fe'],
    expected: {
      ds: { id: 'ocid1.instance.x' },
      metaData: { 'instance-id': 'ocid1.instance.x', 'local-hostname': 'node-1', name: 'Node 1' },
      cloud: {
        ...{ providerId: 'oci://ocid1.instance.x', region: 'eu-frankfurt-1', zone: 'eu-frankfurt-1-ad-1' },
        ...{ addresses: ['10.0.0.3'], publicKeys: [KEY] },
      },
    },
  },
  {
    protocol: 'akamai',
    files: vendor('Akamai'),
    addresses: [V4, 'fd00:a9fe:a9fe::1'],
    expected: {
      metaData: { 'instance-id': '77', label: 'node-1' },
      cloud: { providerId: 'linode://77', region: 'eu-central', addresses: ['192.0.2.5'], publicKeys: [KEY] },
    },
  },
  {
    protocol: 'scaleway',
    files: { '/var/run/scaleway': '' },
    addresses: ['169.254.42.42', 'fd00:42::42'],
    expected: {
      metaData: { 'instance-id': 's-1', 'local-hostname': 'node-1' },
      cloud: {
        ...{ providerId: 'scaleway://instance/fr-par-1/s-1', zone: 'fr-par-1', region: 'fr-par' },
        ...{ addresses: ['10.0.0.2'], publicKeys: [KEY, 'ssh-rsa AAAA tag'] },
      },
    },
  },
  {
    protocol: 'exoscale',
    files: { [`${DMI}/product_name`]: 'Exoscale Compute Platform\n' },
    addresses: [V4],
    expected: {
      ds: { 'meta-data': { 'instance-id': 'i-like' } },
      cloud: { providerId: 'exoscale://i-like', zone: 'zone-1', addresses: ['10.0.0.4'], publicKeys: [KEY] },
    },
  },
  {
    protocol: 'cloudstack',
    files: {
      [`${DMI}/product_name`]: 'CloudStack KVM Hypervisor\n',
      '/run/systemd/netif/leases/2': 'ADDRESS=10.1.1.20\nSERVER_ADDRESS=192.0.2.33\n',
    },
    addresses: ['192.0.2.33'],
    expected: {
      source: 'cloudstack (http://192.0.2.33)',
      cloud: { providerId: 'cloudstack:///i-like', publicKeys: [KEY] },
    },
  },
  {
    protocol: 'maas',
    files: { '/etc/cloud/cloud.cfg.d/90_dpkg_maas.cfg': MAAS },
    addresses: ['192.0.2.1'],
    port: 5240,
    expected: {
      source: 'maas (http://192.0.2.1:5240)',
      metaData: { 'instance-id': 'abc123', 'local-hostname': 'node-1.maas' },
      cloud: { publicKeys: [KEY] },
    },
  },
];

const PLAYS: Scenario[] = CLOUDS.flatMap(({ protocol, files, addresses, port }) =>
  addresses.map((address) => ({
    name: `${protocol} at ${address}`,
    files,
    patienceMs: 120_000,
    servers: [
      {
        protocol,
        address,
        ...(port === undefined ? {} : { port }),
        lateMs: 60,
        faults: [
          ...[{ status: 503 }, { status: 429, headers: { 'retry-after': '0' } }],
          ...[{ cut: true }, { slowMs: 500 }],
        ],
      },
    ],
  })),
);

/** Those too that have tests of their own. */
const ALL: Omit<(typeof CLOUDS)[number], 'expected'>[] = [
  ...CLOUDS,
  { protocol: 'ec2', files: { [`${DMI}/product_uuid`]: 'ec2e1916-9099\n' }, addresses: [V4] },
  { protocol: 'gce', files: { [`${DMI}/product_name`]: 'Google Compute Engine\n' }, addresses: [V4] },
  { protocol: 'openstack', files: { [`${DMI}/chassis_asset_tag`]: 'OpenStack Nova\n' }, addresses: [V4] },
  {
    protocol: 'azure',
    files: { [`${DMI}/chassis_asset_tag`]: '7783-7084-3265-9085-8269-3286-77\n' },
    addresses: [V4],
  },
];
/** What a service may answer to everything, and what comes of it at once. */
const ANSWERS = { 'sends elsewhere': 302, 'turns away': 403 };
const REFUSED: Scenario[] = ALL.flatMap(({ protocol, files, addresses, port }) =>
  Object.entries(ANSWERS).map(([words, status]) => ({
    name: `${protocol} ${words}`,
    files,
    patienceMs: 60_000,
    addresses,
    servers: [
      {
        protocol,
        address: addresses[0] ?? V4,
        ...(port === undefined ? {} : { port }),
        faults: [{ status, headers: { location: 'http://198.51.100.1/' }, times: 1_000 }],
      },
    ],
  })),
);
const ODD: Scenario[] = [
  {
    name: 'another serial',
    files: { ...vendor('Hetzner'), [`${DMI}/product_serial`]: '1\n' },
    servers: [{ protocol: 'hetzner', address: V4 }],
  },
  {
    name: 'nothing',
    files: vendor('Hetzner'),
    servers: [{ protocol: 'hetzner-without-user-data', address: V4 }],
  },
  {
    name: 'cut',
    files: vendor('DigitalOcean'),
    servers: [{ protocol: 'digitalocean', address: V4, faults: [{ cut: true, times: 2 }] }],
  },
  { name: 'no router', files: { [`${DMI}/product_name`]: 'CloudStack\n' } },
  {
    name: 'switched off',
    files: { ...vendor('Linode'), [`${DMI}/board_serial`]: 'v4=0;v6=1\n' },
    patienceMs: 300,
    addresses: [V4],
  },
  {
    name: 'gateway',
    files: {
      [`${DMI}/product_name`]: 'CloudStack\n',
      '/proc/net/route': 'Iface\tDestination\tGateway\neth0\t00000000\t210200C0\t0003\n',
    },
    servers: [{ protocol: 'cloudstack', address: '192.0.2.33' }],
  },
];

let played: Map<string, ScenarioResult>;
beforeAll(async () => {
  const plays = [...PLAYS, ...REFUSED, ...ODD];
  // They do little but wait: some at a time, each in a network of its own.
  const lists = Array.from({ length: 5 }, (_, at) => plays.filter((_, index) => index % 5 === at));
  const all = (await Promise.all(lists.map(runScenarios))).flat();
  played = new Map(all.map((each) => [each.name, each]));
}, 300_000);

test.each(REFUSED.map(({ name }) => name))('%s: refused at once', (name) => {
  expect(played.get(name)?.answer).toMatchObject({ kind: 'refused' });
});

test.each(
  CLOUDS.flatMap(({ protocol, addresses, expected }) =>
    addresses.map((address) => [`${protocol} at ${address}`, expected] as const),
  ),
)('%s, though it starts late, is busy, slow and cut off', (name, expected) => {
  const { answer, userData } = played.get(name) ?? {};
  expect(answer).toMatchObject({ kind: 'found', ...expected });
  expect([USER_DATA, Buffer.from(USER_DATA).toString('base64')]).toContain(userData);
});

describe('what is not as it should be', () => {
  test('a server that answers for another machine', () => {
    expect(played.get('another serial')?.answer).toMatchObject({ kind: 'refused' });
  });

  test('a machine without user data', () => {
    expect(played.get('nothing')?.answer).toMatchObject({ kind: 'empty', source: `hetzner (http://${V4})` });
  });

  test('an answer that ends too early is asked for again', () => {
    expect(played.get('cut')?.answer).toMatchObject({ kind: 'found' });
    expect(played.get('cut')?.requests.length).toBe(3);
  });

  test('a virtual router that nobody knows yet, and one that is only the gateway', () => {
    expect(played.get('no router')?.answer).toMatchObject({ kind: 'needs-network', source: 'cloudstack' });
    expect(played.get('gateway')?.answer).toMatchObject({
      kind: 'found',
      source: 'cloudstack (http://192.0.2.33)',
    });
  });

  test('an address family that is switched off is not asked', () => {
    expect(played.get('switched off')?.answer).toMatchObject({ kind: 'needs-network' });
  });
});
