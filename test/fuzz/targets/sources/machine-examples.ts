/** A machine: the source that is asked (or what it shows decides), then files of it and answers of its services. */
function machine(source: string, parts: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(parts).map(
    ([name, value]) => `%% ${name}\n${typeof value === 'string' ? value : JSON.stringify(value)}\n`,
  );
  return `${source}\n${texts.join('')}`;
}

const USER_DATA = '#cloud-config\nhostname: node-1\n';
const BASE64 = Buffer.from(USER_DATA).toString('base64');
const KEY = 'ssh-ed25519 AAAA a@b';
const DMI = '/sys/class/dmi/id';
const EC2 = '169.254.169.254/2021-03-23';

const ec2Tree = (base: string) => ({
  [`${base}/meta-data/`]: 'instance-id\nlocal-hostname\nplacement/\npublic-keys/',
  [`${base}/meta-data/instance-id`]: 'i-1',
  [`${base}/meta-data/local-hostname`]: 'node-1',
  [`${base}/meta-data/placement/`]: 'availability-zone',
  [`${base}/meta-data/placement/availability-zone`]: 'eu-west-1a',
  [`${base}/meta-data/public-keys/`]: '0=key',
  [`${base}/meta-data/public-keys/0/openssh-key`]: KEY,
  [`${base}/user-data`]: USER_DATA,
});
const IMDS = {
  compute: {
    ...{ vmId: 'v', location: 'westeurope', zone: '1', resourceId: '/subscriptions/s', userData: BASE64 },
    ...{ osProfile: { computerName: 'node-1' }, publicKeys: [{ keyData: `${KEY}\r\n`, path: '/home/a' }] },
  },
  network: { interface: [{ ipv4: { ipAddress: [{ privateIpAddress: '10.0.0.4', publicIpAddress: '' }] } }] },
};
const OVF = `<?xml version="1.0"?><ns0:Environment xmlns:ns0="http://schemas.dmtf.org/ovf/environment/1" xmlns:ns1="http://schemas.microsoft.com/windowsazure"><ns1:ProvisioningSection><ns1:LinuxProvisioningConfigurationSet><ns1:HostName>h</ns1:HostName><ns1:CustomData>${BASE64}</ns1:CustomData></ns1:LinuxProvisioningConfigurationSet></ns1:ProvisioningSection></ns0:Environment>`;
const STACK = {
  meta_data: { uuid: 'u-1', hostname: 'node-1', availability_zone: 'nova', public_keys: { k: KEY } },
  network: {
    links: [{ id: 'l', type: 'phy', ethernet_mac_address: '52:54:00:00:00:01' }],
    networks: [{ id: 'n', link: 'l', type: 'ipv4', ip_address: '10.0.0.5', netmask: '255.255.255.0' }],
  },
};
const at = (path: string) => `169.254.169.254/computeMetadata/v1${path}`;

/** At least one for each source that asks a service, a channel or a file. */
export const MACHINES: readonly string[] = [
  machine('', { [`${DMI}/product_uuid`]: 'ec2f0000', '/latest/api/token': 'token', ...ec2Tree(EC2) }),
  machine('', {
    '/etc/cloud/cloud.cfg.d/10_tinkerbell.cfg':
      'datasource: {Ec2: {metadata_urls: ["http://10.0.0.1:7080"], strict_id: false}}\n',
    ...ec2Tree('10.0.0.1:7080/2009-04-04'),
  }),
  machine('azure', { '169.254.169.254/metadata/instance': IMDS, '/var/lib/waagent/ovf-env.xml': OVF }),
  machine('gce', {
    [at('/instance/id')]: '1',
    [at('/instance/zone')]: 'projects/1/zones/europe-west1-b',
    [at('/instance/hostname')]: 'node-1.c.p.internal',
    [at('/instance/attributes')]: {
      'user-data': BASE64,
      'user-data-encoding': 'base64',
      'ssh-keys': `cloudinit:${KEY}`,
    },
    [at('/project/attributes')]: {
      'ssh-keys': `cloudinit:${KEY} google-ssh {"userName":"a","expireOn":"2020-01-01T00:00:00Z"}`,
    },
    [at('/instance/network-interfaces')]: [{ ip: '10.0.0.2', accessConfigs: [{ externalIp: '1.2.3.4' }] }],
  }),
  machine('openstack', {
    '169.254.169.254/openstack': 'latest\n2018-08-27',
    '169.254.169.254/openstack/2018-08-27/meta_data.json': STACK.meta_data,
    '169.254.169.254/openstack/2018-08-27/network_data.json': STACK.network,
    '169.254.169.254/openstack/2018-08-27/vendor_data.json': { 'cloud-init': USER_DATA },
    '169.254.169.254/openstack/2018-08-27/user_data': USER_DATA,
    '169.254.169.254/latest/meta-data/': 'instance-id',
  }),
  machine('', {
    [`${DMI}/sys_vendor`]: 'Hetzner',
    [`${DMI}/product_serial`]: '1',
    '/hetzner/v1/metadata': `instance-id: 1\nhostname: node-1\nregion: eu\npublic-keys: [${KEY}]\nnetwork-config: {version: 1, config: []}\n`,
    '/hetzner/v1/metadata/private-networks': '- ip: 10.0.0.3\n',
    '/hetzner/v1/userdata': BASE64,
  }),
  machine('oracle', {
    '/opc/v2/instance/': {
      id: 'o',
      hostname: 'n',
      region: 'r',
      ociAdName: 'a',
      metadata: { user_data: BASE64, ssh_authorized_keys: KEY },
    },
    '/opc/v2/vnics/': [{ privateIp: '10.0.0.4' }],
  }),
  machine('vultr', {
    '/v1.json': {
      'instance-v2-id': 'v',
      hostname: 'n',
      'user-data': USER_DATA,
      region: { countrycode: 'DE' },
    },
  }),
  machine('digitalocean', {
    '/metadata/v1.json': {
      droplet_id: 1,
      hostname: 'n',
      user_data: USER_DATA,
      region: 'fra1',
      public_keys: [KEY],
    },
  }),
  machine('upcloud', {
    '/metadata/v1.json': {
      instance_id: 'i',
      hostname: 'n',
      user_data: USER_DATA,
      network: { interfaces: [] },
    },
  }),
  machine('akamai', {
    '/v1/token': 'token',
    '/v1/instance': { id: 7, region: 'eu' },
    '/v1/user-data': BASE64,
    '/v1/ssh-keys': { users: { root: [KEY] } },
  }),
  machine('scaleway', {
    '/conf?format=json': {
      id: 's',
      hostname: 'n',
      zone: 'fr-par-1',
      tags: [`AUTHORIZED_KEY=${KEY}`],
      ssh_public_keys: [{ key: KEY }],
    },
    '/user_data/cloud-init': USER_DATA,
  }),
  machine('cloudstack', {
    '/run/systemd/netif/leases/2': 'SERVER_ADDRESS=10.1.1.1\n',
    '/proc/net/route': 'Iface Destination Gateway\neth0 00000000 0101010A\n',
    ...ec2Tree('10.1.1.1/latest'),
  }),
  machine('exoscale', ec2Tree('169.254.169.254/1.0')),
  machine('maas', {
    '/etc/cloud/cloud.cfg.d/90_dpkg_maas.cfg':
      'datasource: {MAAS: {metadata_url: "http://maas:5240/MAAS/metadata", consumer_key: c, token_key: t, token_secret: s}}\n',
    '/2012-03-01/meta-data/instance-id': 'm-1',
    '/2012-03-01/meta-data/public-keys': KEY,
    '/2012-03-01/user-data': USER_DATA,
  }),
  machine('lxd', {
    '/dev/lxd/sock': '',
    'lxd/1.0/meta-data': 'instance-id: l-1\nlocal-hostname: n\n',
    'lxd/1.0/config': ['/1.0/config/cloud-init.user-data', '/1.0/config/user.network-config'],
    'lxd/1.0/config/cloud-init.user-data': USER_DATA,
    'lxd/1.0/config/user.network-config': 'version: 2\nethernets: {eth0: {dhcp4: true}}\n',
  }),
  machine('vmware', {
    'vmware-rpctool': '',
    'guestinfo.metadata': Buffer.from(
      `instance-id: v-1\nnetwork: {version: 2}\nredact: [userdata]\n`,
    ).toString('base64'),
    'guestinfo.metadata.encoding': 'base64',
    'guestinfo.userdata': USER_DATA,
  }),
  machine('nocloud', {
    '/proc/cmdline': 'ds=nocloud;s=http://h/;h=n;i=i-1',
    'h/user-data': USER_DATA,
    'h/meta-data': 'instance-id: i-2\n',
  }),
  machine('', {
    '/run/cloud-init/instance-data-sensitive.json': {
      v1: { platform: 'x', instance_id: 'c', region: 'r' },
      ds: { meta_data: { a: 1 } },
    },
    '/var/lib/cloud/instance/user-data.txt': USER_DATA,
  }),
  machine('', {
    '/sys/firmware/qemu_fw_cfg/by_name/opt/com.coreos/config/raw': '{"ignition": {"version": "3.4.0"}}',
    '/etc/slipway/sources.yaml': 'datasource_list: [fw-cfg]\nmetadata: digitalocean\n',
    '/metadata/v1.json': { droplet_id: 1, hostname: 'n' },
  }),
];
