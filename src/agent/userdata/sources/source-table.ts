import { detectEc2 } from '../../platform/ec2-platform.ts';
import { detectVmware } from './channels/guest-rpc.ts';
import { configuredFor } from './detection/configured.ts';
import {
  hasVendor,
  isLenient,
  isNovaContainer,
  seedOrMetadataUrl,
  wordOrFile,
} from './detection/detectors.ts';
import type { SourceRow } from './detection/source.ts';
import { isNova } from './openstack/read-openstack.ts';

/** The same on every machine of Azure. */
const AZURE = '7783-7084-3265-9085-8269-3286-77';

/**
 * All sources, in the order in which they are asked: volumes and files first, which ask nobody; then clouds, which show
 * themselves. The signs are those of cloud-init's ds-identify.
 */
export const SOURCES: readonly SourceRow[] = [
  {
    name: 'cloud-init',
    recognise: async (machine) => (await import('./channels/cloud-init.ts')).detectCloudInit(machine),
    load: async () => (await import('./channels/cloud-init.ts')).readCloudInitData,
  },
  {
    name: 'nocloud',
    datasource: 'NoCloud',
    load: async () => (await import('./nocloud/nocloud.ts')).readNoCloud,
  },
  {
    name: 'configdrive',
    datasource: 'ConfigDrive',
    load: async () => (await import('./openstack/config-drive.ts')).readConfigDrive,
  },
  {
    name: 'lxd',
    datasource: 'LXD',
    recognise: async (machine) => (await import('./channels/lxd.ts')).detectLxd(machine),
    load: async () => (await import('./channels/lxd.ts')).readLxd,
  },
  {
    name: 'fw-cfg',
    recognise: async (machine) => (await import('./channels/fw-cfg.ts')).detectFwCfg(machine),
    load: async () => (await import('./channels/fw-cfg.ts')).readFwCfg,
  },
  {
    name: 'opennebula',
    datasource: 'OpenNebula',
    load: async () => (await import('./channels/opennebula.ts')).readOpenNebula,
  },
  {
    name: 'azure',
    datasource: 'Azure',
    async recognise({ dmi, has }) {
      if (dmi('chassis_asset_tag') === AZURE) return `chassis_asset_tag is ${AZURE}`;
      const seed = '/var/lib/cloud/seed/azure/ovf-env.xml';
      return (await has(seed)) ? `${seed} is there` : undefined;
    },
    load: async () => (await import('./azure/azure.ts')).readAzure,
  },
  {
    name: 'vmware',
    datasource: 'VMware',
    recognise: detectVmware,
    load: async () => (await import('./channels/guestinfo.ts')).readGuestinfo,
  },
  {
    name: 'ovf',
    datasource: 'OVF',
    load: async () => (await import('./channels/ovf.ts')).readOvf,
  },
  {
    name: 'hyperv-kvp',
    recognise: async (machine) => (await import('./channels/hyperv-kvp.ts')).detectHyperv(machine),
    load: async () => (await import('./channels/hyperv-kvp.ts')).readHypervKvp,
  },
  {
    name: 'maas',
    datasource: 'MAAS',
    recognise: seedOrMetadataUrl,
    load: async () => (await import('./clouds/maas.ts')).readMaas,
  },
  {
    name: 'cloudstack',
    datasource: 'CloudStack',
    recognise: async ({ dmi, isContainer }) =>
      !isContainer && dmi('product_name').startsWith('CloudStack')
        ? 'product_name begins with CloudStack'
        : undefined,
    load: async () => (await import('./clouds/cloudstack.ts')).readCloudStack,
  },
  {
    name: 'digitalocean',
    datasource: 'DigitalOcean',
    recognise: hasVendor('DigitalOcean'),
    load: async () => (await import('./clouds/digitalocean.ts')).readDigitalOcean,
  },
  {
    name: 'vultr',
    datasource: 'Vultr',
    recognise: async (machine) =>
      (await hasVendor('Vultr')(machine)) ?? wordOrFile(machine, 'vultr', '/etc/vultr'),
    load: async () => (await import('./clouds/vultr.ts')).readVultr,
  },
  {
    name: 'ec2',
    datasource: 'Ec2',
    async recognise(machine, settings) {
      // A container sees its host's DMI.
      if (machine.isContainer) return undefined;
      const sign = await detectEc2(machine);
      if (sign !== undefined) return sign.how;
      return isLenient(configuredFor(settings, 'Ec2').strict_id)
        ? 'datasource.Ec2.strict_id is not true'
        : undefined;
    },
    load: async () => (await import('./clouds/ec2.ts')).readEc2,
  },
  {
    name: 'gce',
    datasource: 'GCE',
    async recognise({ dmi }) {
      if (dmi('product_name') === 'Google Compute Engine') return 'product_name is Google Compute Engine';
      return dmi('product_serial').startsWith('GoogleCloud-')
        ? 'product_serial begins with GoogleCloud-'
        : undefined;
    },
    load: async () => (await import('./clouds/gce.ts')).readGce,
  },
  {
    name: 'openstack',
    datasource: 'OpenStack',
    recognise: async (machine) => isNova(machine) ?? isNovaContainer(machine),
    load: async () => (await import('./openstack/metadata-service.ts')).readOpenStackService,
  },
  {
    name: 'scaleway',
    datasource: 'Scaleway',
    recognise: async (machine) =>
      (await hasVendor('Scaleway')(machine)) ?? wordOrFile(machine, 'scaleway', '/var/run/scaleway'),
    load: async () => (await import('./clouds/scaleway.ts')).readScaleway,
  },
  {
    name: 'hetzner',
    datasource: 'Hetzner',
    recognise: hasVendor('Hetzner'),
    load: async () => (await import('./clouds/hetzner.ts')).readHetzner,
  },
  {
    name: 'oracle',
    datasource: 'Oracle',
    recognise: async ({ dmi }) =>
      dmi('chassis_asset_tag') === 'OracleCloud.com' ? 'chassis_asset_tag is OracleCloud.com' : undefined,
    load: async () => (await import('./clouds/oracle.ts')).readOracle,
  },
  {
    name: 'exoscale',
    datasource: 'Exoscale',
    recognise: async ({ dmi }) =>
      dmi('product_name').startsWith('Exoscale') ? 'product_name begins with Exoscale' : undefined,
    load: async () => (await import('./clouds/exoscale.ts')).readExoscale,
  },
  {
    name: 'upcloud',
    datasource: 'UpCloud',
    recognise: hasVendor('UpCloud'),
    load: async () => (await import('./clouds/upcloud.ts')).readUpCloud,
  },
  {
    name: 'akamai',
    datasource: 'Akamai',
    recognise: hasVendor('Linode', 'Akamai'),
    load: async () => (await import('./clouds/akamai.ts')).readAkamai,
  },
];
