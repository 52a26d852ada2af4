import { beforeAll, expect, test } from 'vitest';
import { runScenarios } from '../../../../test/support/metadata/in-namespace.ts';
import type { Scenario, ScenarioResult } from '../../../../test/support/metadata/scenario.ts';
import { USER_DATA } from '../../../../test/support/metadata/tree.ts';

const DMI = '/sys/class/dmi/id';
const V4 = '169.254.169.254';
const MAAS = `datasource_list: [MAAS]
datasource: {MAAS: {metadata_url: 'http://192.0.2.1/MAAS/metadata/', consumer_key: ckey, token_key: tkey, token_secret: 'ts!cret'}}
`;
const TINKERBELL = `datasource_list: [Ec2]
datasource: {Ec2: {metadata_urls: ['http://192.0.2.1']}}
`;

interface Cloud {
  name: string;
  protocol?: string;
  files: Record<string, string>;
  address?: string;
  /** Where its user data is, if they are something of their own. */
  userData?: string;
}

const CLOUDS: readonly Cloud[] = [
  { name: 'ec2', files: { [`${DMI}/product_uuid`]: 'ec2e1916-9099\n' }, userData: 'user-data' },
  {
    ...{ name: 'tinkerbell', protocol: 'ec2-without-tokens', address: '192.0.2.1', userData: 'user-data' },
    files: { '/etc/cloud/cloud.cfg.d/10_tinkerbell.cfg': TINKERBELL },
  },
  {
    name: 'gce',
    files: { [`${DMI}/product_name`]: 'Google Compute Engine\n' },
    userData: 'instance/attributes',
  },
  { name: 'openstack', files: { [`${DMI}/chassis_asset_tag`]: 'OpenStack Nova\n' }, userData: 'user_data' },
  {
    ...{ name: 'hetzner', userData: 'userdata' },
    files: { [`${DMI}/sys_vendor`]: 'Hetzner\n', [`${DMI}/product_serial`]: '4711\n' },
  },
  { name: 'digitalocean', files: { [`${DMI}/sys_vendor`]: 'DigitalOcean\n' } },
  { name: 'upcloud', files: { [`${DMI}/sys_vendor`]: 'UpCloud\n' } },
  { name: 'vultr', files: { '/proc/cmdline': 'quiet vultr\n' } },
  { name: 'oracle', files: { [`${DMI}/chassis_asset_tag`]: 'OracleCloud.com\n' } },
  { name: 'akamai', files: { [`${DMI}/sys_vendor`]: 'Akamai\n' }, userData: 'user-data' },
  {
    ...{ name: 'scaleway', address: '169.254.42.42', userData: 'user_data' },
    files: { '/var/run/scaleway': '' },
  },
  { name: 'exoscale', files: { [`${DMI}/product_name`]: 'Exoscale\n' }, userData: 'user-data' },
  {
    ...{ name: 'cloudstack', address: '192.0.2.33', userData: 'user-data' },
    files: {
      [`${DMI}/product_name`]: 'CloudStack\n',
      '/run/systemd/netif/leases/2': 'SERVER_ADDRESS=192.0.2.33\n',
    },
  },
  {
    ...{ name: 'maas', address: '192.0.2.1', userData: 'user-data' },
    files: { '/etc/cloud/cloud.cfg.d/90_dpkg_maas.cfg': MAAS },
  },
];

const played = new Map<string, ScenarioResult>();
const plays = (
  suffix: string,
  clouds: readonly Cloud[],
  at: (cloud: Cloud) => string | undefined,
): Scenario[] =>
  clouds.map((cloud) => ({
    ...{ name: `${cloud.name}: ${suffix}`, files: cloud.files, patienceMs: 2_000 },
    servers: [
      {
        ...{ protocol: cloud.protocol ?? cloud.name, address: cloud.address ?? V4 },
        faults: [{ ...(at(cloud) === undefined ? {} : { at: at(cloud) ?? '' }), status: 404, times: 1_000 }],
      },
    ],
  }));
const WITH_OWN = CLOUDS.filter(({ userData }) => userData !== undefined);
/** Without the token that they give to everybody, these are not what they should be. */
const BY_TOKEN = ['ec2', 'akamai'];
const SEED = '/proc/cmdline';

beforeAll(async () => {
  const forbidding: Scenario = {
    ...{ name: 'seed', files: { [SEED]: 'ds=nocloud;s=http://192.0.2.1/seed/\n' } },
    servers: [
      {
        ...{ protocol: 'seed', address: '192.0.2.1' },
        faults: [
          { at: 'vendor-data', status: 403 },
          { at: 'network-config', status: 403 },
        ],
      },
    ],
  };
  const all = [
    ...plays('no user data', WITH_OWN, ({ userData }) => userData),
    ...plays('no metadata', CLOUDS, () => undefined),
    forbidding,
  ];
  for (const each of await runScenarios(all)) played.set(each.name, each);
}, 300_000);

test.each(WITH_OWN)('$name: status 404 of the user data means that there are none', ({ name }) => {
  expect(played.get(`${name}: no user data`)?.answer).toMatchObject({
    kind: 'empty',
    found: { metaData: { 'instance-id': expect.anything() } },
  });
});

test.each(CLOUDS)(
  '$name: status 404 of the metadata says nothing for good, but without a token',
  ({ name }) => {
    const expected = BY_TOKEN.includes(name) ? 'refused' : 'not-yet';
    expect(played.get(`${name}: no metadata`)?.answer).toMatchObject({ kind: expected });
  },
);

test('a store of objects that forbids to look at what a seed need not have has a seed all the same', () => {
  expect(played.get('seed')).toMatchObject({ answer: { kind: 'found' }, userData: USER_DATA });
  expect(played.get('seed')?.answer).not.toHaveProperty('networkConfig');
});
