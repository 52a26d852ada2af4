import { configuredFor } from './machine/configured.ts';
import { ec2Sign } from './machine/ec2-platform.ts';
import type { Machine } from './machine/machine.ts';
import type { SourceRow } from './machine/source.ts';
import { isNova } from './openstack/nova.ts';

/** Volumes and files first: they ask nobody. Then clouds, which show themselves in DMI. */
export const SOURCES: readonly SourceRow[] = [
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
    name: 'ec2',
    datasource: 'Ec2',
    async recognise(machine, settings) {
      // A container sees its host's DMI.
      if (machine.isContainer) return undefined;
      const sign = await ec2Sign(machine);
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
    async recognise(machine) {
      return isNova(machine) ?? (await firstProcessIsNova(machine));
    },
    load: async () => (await import('./openstack/metadata-service.ts')).readOpenStackService,
  },
];

function isLenient(strictId: unknown): boolean {
  return strictId === false || /^(?:false|warn)/.test(String(strictId ?? ''));
}

/** A container of Nova has its product name in the environment of its first process. */
async function firstProcessIsNova({ host }: Machine): Promise<string | undefined> {
  const bytes = await host.files.readIfPresent('/proc/1/environ').catch(() => undefined);
  const isSo = bytes?.toString('latin1').split('\0').includes('product_name=OpenStack Nova');
  return isSo ? 'the first process has product_name=OpenStack Nova' : undefined;
}
