import type { Stage } from '../../support/metadata/stage.ts';
import { USER_DATA } from '../../support/metadata/tree.ts';

const DMI = '/sys/class/dmi/id';
const V4 = '169.254.169.254';
/** The namespace has one link, which is a network card's here. */
const LINK_LOCAL = 'fe80::a9fe:a9fe%lo';
const CARD = { '/sys/class/net/lo/device/modalias': 'virtio\n' };
const dmi = (field: string, value: string) => ({ [`${DMI}/${field}`]: `${value}\n` });

/** A machine that the real program finds its user data on, and what must come of it. */
export interface Scene extends Stage {
  name: string;
  /** What `slipway plan --output json` says of the source. */
  source: string;
  providerId?: string;
  /** What the user data write down: `v1.cloud_name v1.instance_id`. */
  made: string;
  /** Requests that a bootstrap makes beyond those of a plan. */
  owes?: string[];
  /** Files that the bootstrap leaves. */
  leaves?: Record<string, string>;
}

/** Answers as vmware-rpctool does, from files. */
const RPCTOOL = `#!/bin/sh
set -- $1
key=/guestinfo/\${2#guestinfo.}
case $1 in
info-get) if [ -e "$key" ]; then cat "$key"; else echo "No value found" >&2; exit 1; fi ;;
info-set) printf '%s' "$3" >"$key" ;;
esac
`;

export const SCENES: readonly Scene[] = [
  {
    name: 'EC2, late and busy',
    files: dmi('product_uuid', 'ec2e1916-9099-7caf-fd21-012345abcdef'),
    servers: [{ protocol: 'ec2', address: V4, lateMs: 300, faults: [{ at: 'token', status: 503 }] }],
    source: `ec2 (http://${V4})`,
    providerId: 'aws:///eu-west-1a/i-0abc',
    made: 'aws i-0abc',
  },
  {
    name: 'EC2 by IPv6',
    files: dmi('product_uuid', 'ec2e1916-9099-7caf-fd21-012345abcdef'),
    servers: [{ protocol: 'ec2', address: 'fd00:ec2::254' }],
    source: 'ec2 (http://[fd00:ec2::254])',
    made: 'aws i-0abc',
  },
  {
    name: 'GCE',
    files: dmi('product_name', 'Google Compute Engine'),
    servers: [{ protocol: 'gce', address: V4 }],
    source: `gce (http://${V4})`,
    providerId: 'gce://project-1/europe-west1-b/node-1',
    made: 'gce 4242',
  },
  {
    name: 'OpenStack',
    files: dmi('chassis_asset_tag', 'OpenStack Nova'),
    servers: [{ protocol: 'openstack', address: V4 }],
    source: `openstack (http://${V4})`,
    made: 'openstack u-1',
  },
  {
    name: 'OpenStack, on the link alone',
    files: { ...dmi('chassis_asset_tag', 'OpenStack Nova'), ...CARD },
    servers: [{ protocol: 'openstack', address: LINK_LOCAL }],
    source: 'openstack (http://[fe80::a9fe:a9fe%lo])',
    made: 'openstack u-1',
  },
  {
    name: 'Azure',
    files: {
      ...dmi('chassis_asset_tag', '7783-7084-3265-9085-8269-3286-77'),
      ...dmi('product_uuid', 'ABC-1'),
    },
    images: { sr0: 'azure.iso' },
    servers: [
      { protocol: 'azure', address: V4 },
      { protocol: 'azure-fabric', address: '168.63.129.16' },
    ],
    source: 'azure (/dev/sr0)',
    made: 'azure abc-1',
    owes: ['POST /machine?comp=health'],
  },
  {
    name: 'Hetzner',
    files: { ...dmi('sys_vendor', 'Hetzner'), ...dmi('product_serial', '4711') },
    servers: [{ protocol: 'hetzner', address: V4 }],
    source: `hetzner (http://${V4})`,
    providerId: 'hcloud://4711',
    made: 'hetzner 4711',
  },
  {
    name: 'Hetzner, on the link alone',
    files: { ...dmi('sys_vendor', 'Hetzner'), ...dmi('product_serial', '4711'), ...CARD },
    servers: [{ protocol: 'hetzner', address: LINK_LOCAL }],
    source: 'hetzner (http://[fe80::a9fe:a9fe%lo])',
    providerId: 'hcloud://4711',
    made: 'hetzner 4711',
  },
  {
    name: 'Scaleway, from a port below 1024',
    files: dmi('sys_vendor', 'Scaleway'),
    servers: [{ protocol: 'scaleway', address: '169.254.42.42' }],
    source: 'scaleway (http://169.254.42.42)',
    made: 'scaleway s-1',
  },
  {
    name: 'VMware, whose keys are blanked afterwards',
    files: {
      ...dmi('sys_vendor', 'VMware, Inc.'),
      '/bin/vmware-rpctool': RPCTOOL,
      '/guestinfo/userdata': Buffer.from(USER_DATA).toString('base64'),
      '/guestinfo/userdata.encoding': 'base64',
      '/guestinfo/metadata': 'instance-id: i-vm\nredact: [userdata]\n',
    },
    source: 'vmware (guestinfo (guestinfo.metadata))',
    made: 'vmware i-vm',
    leaves: { '/guestinfo/userdata': '---' },
  },
  {
    name: 'OpenNebula, whose disc is read and not run',
    files: {},
    images: { sr0: 'opennebula.iso' },
    source: 'opennebula (/dev/sr0)',
    made: 'opennebula 42',
  },
  {
    name: 'NoCloud on a web server',
    files: { '/proc/cmdline': 'quiet ds=nocloud;s=http://192.0.2.1/seed/\n' },
    servers: [{ protocol: 'seed', address: '192.0.2.1', lateMs: 300 }],
    source: 'nocloud (http://192.0.2.1)',
    made: 'unknown i-seed',
  },
];
