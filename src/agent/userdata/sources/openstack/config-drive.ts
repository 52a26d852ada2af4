import { found, type SourceAnswer } from '../contract/answer.ts';
import { directoryTree, type Tree } from '../contract/tree.ts';
import type { SourceContext } from '../detection/source.ts';
import { readLabelledVolume } from '../volumes/labelled-volume.ts';
import { isNova, type OpenStackData, readOpenStack } from './read-openstack.ts';

/** Places in the image, before volumes (`DataSourceConfigDrive`). */
const CONFIG_DRIVE_SEEDS = ['/var/lib/cloud/seed/config_drive', '/config-drive'];
const CONFIG_DRIVE_LABELS = ['config-2', 'CONFIG-2'];

/** A config drive, version 2: a directory of the image, or a volume labelled config-2. */
export async function readConfigDrive({ machine }: SourceContext): Promise<SourceAnswer> {
  const seed = await seeded(machine.host.files);
  const volume = seed ? undefined : await readLabelledVolume(machine, CONFIG_DRIVE_LABELS, readOpenStack);
  const place = seed?.place ?? volume?.device;
  const data = seed?.data ?? volume?.found;
  if (place === undefined || data === undefined)
    return { kind: 'not-mine', looked: ['configdrive: no volume labelled config-2, no seed directory'] };
  if (at(data.metaData) === 'disabled') return { kind: 'not-mine' };
  const { cloud, ...rest } = data;
  const uuid = String(data.metaData['instance-id']);
  return found({
    source: `configdrive (${place})`,
    ...rest,
    ...(volume ? { fromVolume: true } : {}),
    cloud: {
      name: 'configdrive',
      platform: 'openstack',
      subplatform: `${place.startsWith('/dev/') ? 'config-disk' : 'seed-dir'} (${place})`,
      ...cloud,
      // Metal³, Nutanix and KubeVirt use the same format and other ids.
      ...(isNova(machine) ? { providerId: `openstack:///${uuid}` } : {}),
    },
  });
}

/** `nova boot --meta dsmode=disabled` switches the source off. */
function at(metaData: Record<string, unknown>): unknown {
  const { meta } = metaData;
  return typeof meta === 'object' && meta !== null && 'dsmode' in meta ? meta.dsmode : undefined;
}

async function seeded(
  files: Parameters<typeof directoryTree>[0],
): Promise<{ place: string; data: OpenStackData } | undefined> {
  for (const place of CONFIG_DRIVE_SEEDS) {
    const tree: Tree = directoryTree(files, place);
    const data = await readOpenStack(tree);
    if (data !== undefined) return { place, data };
  }
  return undefined;
}
