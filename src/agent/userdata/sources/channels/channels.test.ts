import { beforeAll, describe, expect, test } from 'vitest';
import { runScenarios } from '../../../../../test/support/metadata/in-namespace.ts';
import type { Scenario, ScenarioResult } from '../../../../../test/support/metadata/scenario.ts';
import { KEY, USER_DATA } from '../../../../../test/support/metadata/tree.ts';
import { parseXml } from '../../../platform/metadata/xml.ts';
import { parseContext } from './opennebula.ts';

const DMI = '/sys/class/dmi/id';
const V4 = '169.254.169.254';
const FABRIC = { protocol: 'azure-fabric', address: '168.63.129.16' };
const IMDS = { protocol: 'azure', address: V4 };
const base64 = Buffer.from(USER_DATA).toString('base64');
const AZURE = {
  [`${DMI}/chassis_asset_tag`]: '7783-7084-3265-9085-8269-3286-77\n',
  [`${DMI}/product_uuid`]: 'ABC-1\n',
};
const VMWARE = {
  [`${DMI}/sys_vendor`]: 'VMware, Inc.\n',
  [`${DMI}/product_uuid`]: '4D561A30-0000-0000-0000-000000000001\n',
  [`${DMI}/product_serial`]: 'VMware-30 1a 56 4d 00 00 00 00-00 00 00 00 00 00 00 01\n',
};
const pool = (pairs: Record<string, string>) =>
  Object.entries(pairs)
    .map(([key, value]) => key.padEnd(512, '\0') + value.padEnd(2048, '\0'))
    .join('');
const INSTANCE_DATA = JSON.stringify({
  v1: {
    instance_id: 'i-ci',
    platform: 'gce',
    cloud_name: 'gce',
    region: 'r',
    local_hostname: 'node-1',
    public_ssh_keys: [KEY],
  },
  ds: { meta_data: { deep: 1 } },
});

const PLAYS: Scenario[] = [
  { name: 'azure', files: AZURE, images: { sr0: 'azure.iso' }, servers: [IMDS, FABRIC], runsCallbacks: true },
  { name: 'azure without media', files: AZURE, servers: [IMDS, FABRIC] },
  { name: 'azure without its service', files: AZURE, images: { sr0: 'azure.iso' }, patienceMs: 300 },
  { name: 'lxd', files: {}, servers: [{ protocol: 'lxd', address: '/dev/lxd/sock' }] },
  { name: 'incus', files: {}, servers: [{ protocol: 'lxd', address: '/dev/incus/sock' }] },
  {
    name: 'lxd without its agent',
    files: { '/sys/class/virtio-ports/vport1p1/name': 'org.linuxcontainers.lxd\n' },
  },
  { name: 'opennebula', files: {}, images: { sr0: 'opennebula.iso' } },
  { name: 'ovf', files: {}, images: { sr0: 'ovf.iso' } },
  {
    name: 'guestinfo',
    files: VMWARE,
    env: {
      VMX_GUESTINFO: '1',
      VMX_GUESTINFO_USERDATA: base64,
      VMX_GUESTINFO_USERDATA_ENCODING: 'base64',
      VMX_GUESTINFO_METADATA: `instance-id: i-vm\nlocal-hostname: node-1\npublic-keys: ["${KEY}"]\nnetwork: {version: 2}\n`,
    },
  },
  { name: 'guestinfo without tools', files: VMWARE },
  {
    name: 'hyper-v',
    files: {
      [`${DMI}/sys_vendor`]: 'Microsoft Corporation\n',
      [`${DMI}/product_name`]: 'Virtual Machine\n',
      '/var/lib/hyperv/.kvp_pool_0': pool({
        'ignition.config.1': USER_DATA.slice(9),
        other: 'x',
        'ignition.config.0': USER_DATA.slice(0, 9),
      }),
    },
  },
  { name: 'fw_cfg', files: { '/sys/firmware/qemu_fw_cfg/by_name/opt/com.coreos/config/raw': USER_DATA } },
  {
    name: 'cloud-init',
    files: {
      '/run/cloud-init/instance-data-sensitive.json': INSTANCE_DATA,
      '/var/lib/cloud/instance/user-data.txt': USER_DATA,
    },
  },
  { name: 'cloud-init of another boot', files: { '/var/lib/cloud/instance/user-data.txt': USER_DATA } },
];

let played: Map<string, ScenarioResult>;
beforeAll(async () => {
  played = new Map((await runScenarios(PLAYS)).map((each) => [each.name, each]));
}, 300_000);
const of = (name: string) => played.get(name);

const IDS = {
  azure: 'abc-1',
  'azure without media': 'abc-1',
  lxd: 'u-lxd',
  incus: 'u-lxd',
  opennebula: '42',
  ovf: 'i-ovf',
  guestinfo: 'i-vm',
  'cloud-init': 'i-ci',
};

test.each(Object.entries(IDS))('%s gives user data, instance id and host name', (name, id) => {
  expect(of(name)?.answer).toMatchObject({
    kind: 'found',
    metaData: { 'instance-id': id, 'local-hostname': 'node-1' },
  });
  expect(of(name)?.userData).toBe(USER_DATA);
});

test.each(['hyper-v', 'fw_cfg'])('%s gives user data', (name) => {
  expect(of(name)?.answer).toMatchObject({ kind: 'found' });
  expect(of(name)?.userData).toBe(USER_DATA);
});

describe('Azure', () => {
  test('tells the place of each thing', () => {
    expect(of('azure')?.answer).toMatchObject({
      source: 'azure (/dev/sr0)',
      metaData: { imds: { compute: { vmId: 'vm-1' } } },
      deviceAliases: { ephemeral0: '/dev/disk/cloud/azure_resource' },
      cloud: {
        providerId:
          'azure:///subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/node-1',
        ...{ region: 'westeurope', zone: '2', addresses: ['10.0.0.10'], publicKeys: [KEY] },
      },
    });
  });

  test('is told that the machine is ready by a bootstrap, and not by a plan', () => {
    expect(of('azure')?.requests.slice(-2)).toEqual([
      'GET /machine/?comp=goalstate',
      'POST /machine?comp=health',
    ]);
    expect(of('azure without media')?.requests.join()).not.toContain('machine');
  });

  test('is waited for', () => {
    expect(of('azure without its service')?.answer).toMatchObject({ kind: 'needs-network', source: 'azure' });
  });
});

test('guestinfo has the id of vSphere, the network and no tool is a reason', () => {
  expect(of('guestinfo')?.answer).toMatchObject({
    networkConfig: { text: '{"version":2}' },
    cloud: { providerId: 'vsphere://301a564d-0000-0000-0000-000000000001', publicKeys: [KEY] },
  });
  expect(String(of('guestinfo without tools')?.answer.looked)).toContain(
    'neither vmware-rpctool nor vmtoolsd',
  );
});

test('a virtual machine of LXD waits for its agent', () => {
  expect(of('lxd without its agent')?.answer).toMatchObject({ kind: 'not-yet', source: 'lxd' });
});

test("what cloud-init left in another boot is not this boot's", () => {
  expect(of('cloud-init of another boot')?.answer).toMatchObject({ kind: 'not-mine' });
});

test.each([
  [`A='x'`, [['A', 'x']]],
  [
    `A='it'\\''s'\nB="a \\"b\\""`,
    [
      ['A', "it's"],
      ['B', 'a "b"'],
    ],
  ],
  [
    `A='two\nlines'\nB=plain`,
    [
      ['A', 'two\nlines'],
      ['B', 'plain'],
    ],
  ],
  ['A=$(id)\nB=`id`\nC="$HOME"\nD=\'$HOME\'', [['D', '$HOME']]],
  ['echo A=1; rm -rf /', []],
])('context.sh is read and not run: %j', (text, expected) => {
  expect([...parseContext(text)]).toEqual(expected);
});

test('long lines that are nearly right cost no more than their length', () => {
  expect([...parseContext(`A=${'a=['.repeat(20_000)}"`)]).toEqual([]);
  expect(parseXml(`<a ${'b'.repeat(200_000)}/>`).attributes.size).toBe(0);
  expect(parseXml(`<a ${'""'.repeat(500_000)}/>`).attributes.size).toBe(0);
  expect(() => parseXml(`<${'a'.repeat(1_000_000)}`)).toThrow('it is not valid XML at character 0');
});

describe('XML', () => {
  test('entities, CDATA, namespaces', () => {
    const root = parseXml(
      '<?xml version="1.0"?><!-- c --><a:b xmlns:a="u" a:k="1 &lt; 2"><c><![CDATA[<x>]]>&#65;</c></a:b>',
    );
    expect(root).toMatchObject({ name: 'b', children: [{ name: 'c', text: '<x>A' }] });
    expect(root.attributes.get('k')).toBe('1 < 2');
  });

  test.each([
    '',
    '<a>',
    '<a></b>',
    '<a/><b/>',
    '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
    '<a'.repeat(9),
    '<a>'.repeat(100),
  ])('%j is refused', (text) => {
    expect(() => parseXml(text)).toThrow();
  });
});
