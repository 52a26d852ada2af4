import type { Protocol } from './cloud-server.ts';
import { SMALLER } from './smaller-protocols.ts';
import { type Files, KEY, tree, USER_DATA } from './tree.ts';

/** The protocols of clouds, as their servers speak them. Each call makes a server without memory of others. */
export const PROTOCOLS: Readonly<Record<string, () => Protocol>> = {
  ...SMALLER,
  ec2,
  'ec2-without-tokens': () => tree(EC2),
  'ec2-switched-off': () => () => ({ status: 403, body: 'Forbidden' }),
  'ec2-elsewhere':
    () =>
    ({ path }) => ({ status: 302, headers: { location: `http://169.254.1.1${path}` } }),
  gce,
  openstack: () => tree(OPENSTACK),
  azure,
  'azure-fabric': azureFabric,
  lxd: () => tree(LXD),
  seed: () => tree(SEED),
  'seed-moved': () => (asked) =>
    asked.path.startsWith('/old/')
      ? { status: 301, headers: { location: asked.path.replace('/old/', '/seed/') } }
      : tree(SEED)(asked),
};

const DOCUMENT = JSON.stringify({
  instanceId: 'i-0abc',
  region: 'eu-west-1',
  availabilityZone: 'eu-west-1a',
});
const EC2: Files = {
  '/2021-03-23/meta-data/': 'ami-id\ninstance-id\niam/\nlocal-hostname\nlocal-ipv4\nplacement/\npublic-keys/',
  '/2021-03-23/meta-data/ami-id': 'ami-1',
  '/2021-03-23/meta-data/instance-id': 'i-0abc',
  '/2021-03-23/meta-data/iam/': 'info\nsecurity-credentials/',
  '/2021-03-23/meta-data/iam/info': '{"Code": "Success"}',
  '/2021-03-23/meta-data/iam/security-credentials/': 'role',
  '/2021-03-23/meta-data/iam/security-credentials/role': '{"SecretAccessKey": "never-read"}',
  '/2021-03-23/meta-data/local-hostname': 'ip-10-0-0-9.eu-west-1.compute.internal',
  '/2021-03-23/meta-data/local-ipv4': '10.0.0.9',
  '/2021-03-23/meta-data/placement/': 'availability-zone\nregion',
  '/2021-03-23/meta-data/placement/availability-zone': 'eu-west-1a',
  '/2021-03-23/meta-data/placement/region': 'eu-west-1',
  '/2021-03-23/meta-data/public-keys/': '0=my-key',
  '/2021-03-23/meta-data/public-keys/0/openssh-key': KEY,
  '/2021-03-23/dynamic/instance-identity/document': DOCUMENT,
  '/2021-03-23/user-data': USER_DATA,
};

/** IMDSv2: a token by PUT, not through a proxy, and nothing without it. */
function ec2(): Protocol {
  const files = tree(EC2);
  return (asked) => {
    const { method, path, headers } = asked;
    if (headers['x-forwarded-for'] !== undefined) return { status: 403 };
    if (path === '/latest/api/token') {
      const seconds = Number(headers['x-aws-ec2-metadata-token-ttl-seconds']);
      if (method !== 'PUT') return { status: 405 };
      return seconds >= 1 && seconds <= 21_600 ? { status: 200, body: 'TOKEN==' } : { status: 400 };
    }
    if (headers['x-aws-ec2-metadata-token'] !== 'TOKEN==') return { status: 401 };
    return files(asked);
  };
}

function gce(): Protocol {
  const base = '/computeMetadata/v1';
  const files = tree({
    [`${base}/instance/id`]: '4242',
    [`${base}/instance/name`]: 'node-1',
    [`${base}/instance/zone`]: 'projects/1/zones/europe-west1-b',
    [`${base}/instance/hostname`]: 'node-1.europe-west1-b.c.project-1.internal',
    [`${base}/instance/attributes/`]: JSON.stringify({
      'user-data': USER_DATA,
      'ssh-keys': `cloudinit:${KEY}\nother:${KEY}`,
    }),
    [`${base}/instance/network-interfaces/`]: JSON.stringify([
      { ip: '10.0.0.7', accessConfigs: [{ externalIp: '192.0.2.7' }] },
    ]),
    [`${base}/project/attributes/`]: JSON.stringify({ 'ssh-keys': '' }),
    [`${base}/project/project-id`]: 'project-1',
  });
  return (asked) => {
    if (asked.headers['metadata-flavor'] !== 'Google' || asked.headers['x-forwarded-for'] !== undefined)
      return { status: 403 };
    return { ...files(asked), headers: { 'metadata-flavor': 'Google' } };
  };
}

const OPENSTACK: Files = {
  '/openstack': '2012-08-10\n2018-08-27\nlatest',
  '/openstack/2018-08-27/meta_data.json': JSON.stringify({
    ...{ uuid: 'u-1', hostname: 'node-1.novalocal', availability_zone: 'az-1' },
    ...{ random_seed: 'c2VjcmV0', public_keys: { mine: KEY }, meta: { failuredomain: 'fd-1' } },
  }),
  '/openstack/2018-08-27/user_data': USER_DATA,
  '/openstack/2018-08-27/vendor_data.json': JSON.stringify({ 'cloud-init': '#cloud-config\n{}' }),
  '/openstack/2018-08-27/network_data.json': JSON.stringify({ networks: [{ ip_address: '10.0.0.5' }] }),
  '/latest/meta-data/': 'instance-id',
  '/latest/meta-data/instance-id': 'i-00000001',
};

const SEED: Files = {
  '/seed/user-data': USER_DATA,
  '/seed/meta-data': 'instance-id: i-seed\nlocal-hostname: node-1\n',
  '/seed/network-config': 'version: 2\n',
};

const IMDS = {
  compute: {
    ...{ location: 'westeurope', zone: '2', platformFaultDomain: '0', vmId: 'vm-1' },
    resourceId: '/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/node-1',
    osProfile: { computerName: 'node-1' },
    publicKeys: [{ keyData: KEY }],
    userData: Buffer.from(USER_DATA).toString('base64'),
  },
  network: { interface: [{ ipv4: { ipAddress: [{ privateIpAddress: '10.0.0.10', publicIpAddress: '' }] } }] },
};

/** Azure's metadata service wants its header, takes no proxies, and answers 404 until it knows the machine. */
function azure(): Protocol {
  let asked = 0;
  return ({ path, query, headers }) => {
    if (headers.metadata !== 'true' || headers['x-forwarded-for'] !== undefined) return { status: 400 };
    if (path !== '/metadata/instance' || query.get('api-version') !== '2021-08-01') return { status: 404 };
    asked += 1;
    return asked < 2 ? { status: 404 } : { status: 200, body: JSON.stringify(IMDS) };
  };
}

const GOAL_STATE = `<?xml version="1.0" encoding="utf-8"?>
<GoalState xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><Version>2012-11-30</Version><Incarnation>1</Incarnation>
<Container><ContainerId>c-1</ContainerId><RoleInstanceList><RoleInstance><InstanceId>_node &amp; 1</InstanceId>
<Configuration/></RoleInstance></RoleInstanceList></Container></GoalState>`;

/** The fabric gives a goal state and takes the report of health that names the same machine. */
function azureFabric(): Protocol {
  return ({ method, path, query, headers, body }) => {
    if (headers['x-ms-agent-name'] !== 'WALinuxAgent' || headers['x-ms-version'] !== '2012-11-30')
      return { status: 400 };
    if (method === 'GET' && path === '/machine/' && query.get('comp') === 'goalstate')
      return { status: 200, body: GOAL_STATE };
    const isReport =
      /<GoalStateIncarnation>1</.test(body) &&
      /<ContainerId>c-1</.test(body) &&
      body.includes('<InstanceId>_node &amp; 1<');
    const isReady =
      method === 'POST' && query.get('comp') === 'health' && body.includes('<State>Ready</State>');
    return { status: isReport && isReady && headers['content-type']?.startsWith('text/xml') ? 200 : 400 };
  };
}

const LXD: Files = {
  '/1.0': '{"api_version": "1.0"}',
  '/1.0/meta-data': '#cloud-config\ninstance-id: u-lxd\nlocal-hostname: node-1\n',
  '/1.0/config':
    '["/1.0/config/cloud-init.user-data", "/1.0/config/user.user-data", "/1.0/config/user.x", "/1.0/config/volatile.y"]',
  '/1.0/config/cloud-init.user-data': USER_DATA,
  '/1.0/config/user.user-data': 'the older key',
  '/1.0/config/user.x': 'y',
};
