import { beforeAll, describe, expect, test } from 'vitest';
import { runScenarios } from '../../../../test/support/metadata/in-namespace.ts';
import type { Scenario, ScenarioResult } from '../../../../test/support/metadata/scenario.ts';
import { KEY, USER_DATA } from '../../../../test/support/metadata/tree.ts';

const DMI = '/sys/class/dmi/id';
const AWS = { [`${DMI}/product_uuid`]: 'ec2e1916-9099-7caf-fd21-012345abcdef\n' };
const GOOGLE = { [`${DMI}/product_name`]: 'Google Compute Engine\n' };
const NOVA = { [`${DMI}/chassis_asset_tag`]: 'OpenStack Nova\n' };
const V4 = '169.254.169.254';
const seed = (address: string) => ({ '/proc/cmdline': `ds=nocloud;s=${address}\n` });

const SEED = '/var/lib/cloud/seed/nocloud';
const SEEDED = {
  [`${SEED}/meta-data`]: 'instance-id: of-the-seed\nlocal-hostname: of-the-seed\n',
  [`${SEED}/user-data`]: '#cloud-config\nruncmd: [kubeadm join]\n',
  '/etc/slipway/sources.yaml': 'metadata: ec2\n',
};

const PLAYS: readonly Scenario[] = [
  { name: 'aws', files: AWS, servers: [{ protocol: 'ec2', address: V4 }] },
  { name: 'aws by IPv6', files: AWS, servers: [{ protocol: 'ec2', address: 'fd00:ec2::254' }] },
  {
    name: 'aws late, busy, slow, cut, token lost',
    files: AWS,
    patienceMs: 120_000,
    servers: [
      {
        protocol: 'ec2',
        address: V4,
        lateMs: 300,
        faults: [
          { at: 'token', status: 503, times: 2 },
          { at: 'ami-id', status: 429, headers: { 'retry-after': '0' } },
          { at: 'local-ipv4', cut: true },
          { at: 'placement/region', slowMs: 2_500 },
          { at: 'user-data', status: 401 },
        ],
      },
    ],
  },
  { name: 'aws nobody', files: AWS, addresses: [V4], patienceMs: 600 },
  { name: 'aws no route', files: AWS, patienceMs: 600 },
  { name: 'aws is disabled', files: AWS, servers: [{ protocol: 'ec2-switched-off', address: V4 }] },
  { name: 'aws without tokens', files: AWS, servers: [{ protocol: 'ec2-without-tokens', address: V4 }] },
  { name: 'aws redirects', files: AWS, servers: [{ protocol: 'ec2-elsewhere', address: V4 }] },
  {
    name: 'tinkerbell',
    files: {
      '/etc/cloud/cloud.cfg.d/10_tinkerbell.cfg':
        'datasource_list: [Ec2]\ndatasource:\n  Ec2:\n    metadata_urls: ["http://192.0.2.1:7080"]\n    strict_id: false\n',
    },
    servers: [{ protocol: 'ec2-without-tokens', address: '192.0.2.1', port: 7080 }],
  },
  { name: 'gce', files: GOOGLE, servers: [{ protocol: 'gce', address: V4 }] },
  { name: 'gce by IPv6', files: GOOGLE, servers: [{ protocol: 'gce', address: 'fd20:ce::254' }] },
  { name: 'gce, another answers', files: GOOGLE, servers: [{ protocol: 'ec2-switched-off', address: V4 }] },
  { name: 'openstack', files: NOVA, servers: [{ protocol: 'openstack', address: V4 }] },
  {
    name: 'unknown',
    files: { [`${DMI}/sys_vendor`]: 'QEMU\n' },
    servers: [{ protocol: 'ec2', address: V4 }],
  },
  {
    name: 'chosen',
    files: { [`${DMI}/sys_vendor`]: 'QEMU\n' },
    source: 'ec2',
    servers: [{ protocol: 'ec2-without-tokens', address: V4 }],
  },
  {
    name: 'seed',
    files: seed('http://192.0.2.1/seed/'),
    servers: [{ protocol: 'seed', address: '192.0.2.1' }],
  },
  {
    name: 'seed moved',
    files: seed('http://192.0.2.1/old'),
    servers: [{ protocol: 'seed-moved', address: '192.0.2.1' }],
  },
  {
    name: 'seed by DMI',
    files: { ...seed('http://192.0.2.1/__dmi.system-uuid__/%s'), [`${DMI}/product_uuid`]: 'seed\n' },
    servers: [{ protocol: 'seed', address: '192.0.2.1' }],
  },
  {
    name: 'seed missing',
    files: seed('http://192.0.2.1/other/'),
    servers: [{ protocol: 'seed', address: '192.0.2.1' }],
  },
  ...[
    { name: 'user data of a seed, metadata of AWS', protocol: 'ec2' as const, faults: [] },
    {
      ...{ name: 'the same without user data of AWS', protocol: 'ec2' as const },
      faults: [{ at: 'user-data', status: 404 }],
    },
    { name: 'the same, is disabled', protocol: 'ec2-switched-off' as const, faults: [] },
  ].map(({ name, ...server }) => ({
    ...{ name, files: { ...SEEDED, ...AWS }, servers: [{ ...server, address: V4 }] },
  })),
  {
    name: 'metadata of nobody',
    files: { ...SEEDED, '/etc/slipway/sources.yaml': 'metadata: configdrive\n' },
  },
  { name: 'seed unreachable', files: seed('http://10.0.0.1/secret-path/'), patienceMs: 300 },
  { name: 'seed by ftp', files: seed('ftp://10.0.0.1/secret-path/') },
];

let played: Map<string, ScenarioResult>;
beforeAll(async () => {
  played = new Map((await runScenarios(PLAYS)).map((each) => [each.name, each]));
}, 300_000);

function of(name: string): ScenarioResult {
  const found = played.get(name);
  if (found === undefined) throw new Error(`${name} was not played`);
  return found;
}

describe('EC2', () => {
  test.each(['aws', 'aws by IPv6', 'aws late, busy, slow, cut, token lost'])('%s', (name) => {
    const { answer, userData } = of(name);
    expect(answer).toMatchObject({
      kind: 'found',
      recognised: 'product_uuid begins with ec2e1916',
      metaData: {
        'instance-id': 'i-0abc',
        'local-hostname': 'ip-10-0-0-9.eu-west-1.compute.internal',
        'public-keys': { 'my-key': KEY },
      },
      ds: {
        'meta-data': { 'ami-id': 'ami-1', iam: { info: { Code: 'Success' } } },
        dynamic: { 'instance-identity': { document: { region: 'eu-west-1' } } },
        _metadata_api_version: '2021-03-23',
      },
      cloud: {
        ...{ name: 'aws', platform: 'ec2', providerId: 'aws:///eu-west-1a/i-0abc' },
        ...{ region: 'eu-west-1', zone: 'eu-west-1a', addresses: ['10.0.0.9'], publicKeys: [KEY] },
      },
    });
    expect(userData).toBe(USER_DATA);
  });

  test('names the address that answered', () => {
    expect(of('aws').answer.source).toBe(`ec2 (http://${V4})`);
    expect(of('aws by IPv6').answer.source).toBe('ec2 (http://[fd00:ec2::254])');
  });

  test('leaves credentials where they are', () => {
    expect(of('aws').requests.filter((request) => request.includes('security-credentials'))).toEqual([]);
  });

  test('asks for another token when one is no longer taken', () => {
    const tokens = of('aws late, busy, slow, cut, token lost').requests.filter((request) =>
      request.startsWith('PUT'),
    );
    expect(tokens.length).toBe(4);
  });

  test('says what kind of nothing it is', () => {
    expect(of('aws nobody').answer).toMatchObject({ kind: 'not-yet', source: 'ec2' });
    expect(of('aws nobody').answer.reason).toContain(
      'does not answer yet: 169.254.169.254: connection refused',
    );
    expect(of('aws no route').answer).toMatchObject({ kind: 'needs-network' });
    expect(of('aws is disabled').answer).toMatchObject({ kind: 'refused' });
    expect(of('aws is disabled').answer.reason).toContain('is disabled');
    expect(of('aws without tokens').answer).toMatchObject({ kind: 'refused' });
  });

  test('follows no redirect to another host', () => {
    expect(of('aws redirects').answer).toMatchObject({ kind: 'refused' });
    expect(of('aws redirects').answer.reason).toContain('a redirect, which is not followed');
  });

  test('Tinkerbell gives the same tree at the place that cloud.cfg names, without tokens', () => {
    const { answer, userData, requests } = of('tinkerbell');
    expect(answer).toMatchObject({
      kind: 'found',
      source: 'ec2 (http://192.0.2.1:7080)',
      metaData: { 'instance-id': 'i-0abc' },
    });
    expect(answer.recognised).toBe('/etc/cloud/cloud.cfg.d/10_tinkerbell.cfg');
    expect(userData).toBe(USER_DATA);
    expect(requests.filter((request) => request.startsWith('PUT'))).toEqual([]);
  });
});

describe('the metadata of another source', () => {
  test.each(['user data of a seed, metadata of AWS', 'the same without user data of AWS'])('%s', (name) => {
    const { answer, userData } = of(name);
    expect(answer).toMatchObject({
      kind: 'found',
      source: `nocloud (${SEED}) with metadata of ec2 (http://${V4})`,
      metadataOf: `ec2 (http://${V4})`,
      metaData: { 'instance-id': 'i-0abc' },
      ds: { _metadata_api_version: '2021-03-23' },
      cloud: { providerId: 'aws:///eu-west-1a/i-0abc', publicKeys: [KEY] },
    });
    expect(userData).toBe(SEEDED[`${SEED}/user-data`]);
  });

  test('is not done without', () => {
    expect(of('the same, is disabled').answer).toMatchObject({ kind: 'refused', source: 'ec2' });
    expect(of('metadata of nobody').answer).toMatchObject({
      ...{
        kind: 'refused',
        reason: expect.stringContaining('configdrive, which has no metadata for this machine'),
      },
    });
  });
});

describe('GCE', () => {
  test.each(['gce', 'gce by IPv6'])('%s', (name) => {
    const { answer, userData } = of(name);
    expect(answer).toMatchObject({
      kind: 'found',
      metaData: { 'instance-id': '4242', 'local-hostname': 'node-1', 'availability-zone': 'europe-west1-b' },
      cloud: {
        providerId: 'gce://project-1/europe-west1-b/node-1',
        region: 'europe-west1',
        addresses: ['10.0.0.7', '192.0.2.7'],
        ...{ publicKeys: [KEY], keysByUser: { other: [KEY] } },
      },
    });
    expect(userData).toBe(USER_DATA);
  });

  test('takes nothing from whoever is not Google', () => {
    expect(of('gce, another answers').answer).toMatchObject({ kind: 'refused' });
  });
});

test('OpenStack', () => {
  const { answer, userData } = of('openstack');
  expect(answer).toMatchObject({
    kind: 'found',
    source: `openstack (http://${V4})`,
    metaData: { 'instance-id': 'u-1', 'local-hostname': 'node-1.novalocal', meta: { failuredomain: 'fd-1' } },
    ds: { ec2_metadata: { 'instance-id': 'i-00000001' }, network_json: { networks: [{}] } },
    networkConfig: { format: 'openstack' },
    cloud: { providerId: 'openstack:///u-1', zone: 'az-1', addresses: ['10.0.0.5'], publicKeys: [KEY] },
  });
  expect(userData).toBe(USER_DATA);
  expect(JSON.stringify(answer)).not.toContain('c2VjcmV0');
});

describe('a machine that is nobody', () => {
  test('asks nobody, and says what was looked at', () => {
    const { answer, requests } = of('unknown');
    expect(requests).toEqual([]);
    expect(answer.kind).toBe('not-mine');
    expect(String(answer.looked)).toContain('DMI shows no known cloud: sys_vendor "QEMU"');
  });

  test('asks the one that somebody names', () => {
    expect(of('chosen').answer).toMatchObject({ kind: 'found', recognised: '--source ec2' });
  });
});

describe('a NoCloud seed on a web server', () => {
  test.each(['seed', 'seed moved', 'seed by DMI'])('%s', (name) => {
    const { answer, userData } = of(name);
    expect(answer).toMatchObject({
      kind: 'found',
      source: 'nocloud (http://192.0.2.1)',
      metaData: { 'instance-id': 'i-seed', 'local-hostname': 'node-1' },
      networkConfig: { text: 'version: 2\n' },
    });
    expect(userData).toBe(USER_DATA);
  });

  test('that gives nothing says which nothing, and not the rest of its address', () => {
    expect(of('seed missing').answer).toMatchObject({ kind: 'refused', source: 'nocloud' });
    expect(of('seed unreachable').answer).toMatchObject({ kind: 'needs-network', source: 'nocloud' });
    expect(of('seed by ftp').answer).toMatchObject({ kind: 'refused' });
    for (const name of ['seed unreachable', 'seed by ftp'])
      expect(JSON.stringify(of(name).answer)).not.toContain('secret-path');
  });
});
