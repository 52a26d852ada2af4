import { isMetadataName } from '../../../document/device-name.ts';
import type { Host } from '../../../host/host.ts';

const TAG = /^(?:LABEL|UUID|PARTLABEL|PARTUUID|ID)=/;

/** The first field of a mount. */
type Source =
  | { kind: 'metadata-name' }
  /** `missing`: there is no such device (now). */
  | { kind: 'device'; spec: string; missing: boolean }
  /** LABEL=... and the like. */
  | { kind: 'tag'; spec: string }
  /** A network path, tmpfs, a file: nothing to look for. */
  | { kind: 'other'; spec: string };

/**
 * The first field of fstab for a device of user data (cloud-init's `sanitize_devname`): a disk means its
 * first partition if it has one, `/dev/sdb.2` means the second partition.
 */
export async function sourceOf(host: Host, name: string): Promise<Source> {
  if (isMetadataName(name)) return { kind: 'metadata-name' };
  if (TAG.test(name)) return { kind: 'tag', spec: name };
  if (!name.startsWith('/dev/') || name.includes(':')) return { kind: 'other', spec: name };
  const device = await host.blockDevices.find(name);
  if (device?.kind === 'partition') return { kind: 'device', spec: name, missing: false };
  if (device) return { kind: 'device', spec: (await nthPartition(host, name, 1)) ?? name, missing: false };
  const [, disk, number] = /^(.*[^/])\.(\d+)$/.exec(name) ?? [];
  if (disk !== undefined && number !== undefined && (await host.blockDevices.find(disk))) {
    const spec = await nthPartition(host, disk, Number(number));
    return { kind: 'device', spec: spec ?? name, missing: spec === undefined };
  }
  return { kind: 'device', spec: name, missing: true };
}

/** Follows the style of the disk's own name, so that a name which survives reboots still does. */
async function nthPartition(host: Host, disk: string, number: number): Promise<string | undefined> {
  const suffixes = /\d$/.test(disk)
    ? [`p${number}`, `-part${number}`]
    : [`${number}`, `p${number}`, `-part${number}`];
  for (const suffix of suffixes) {
    if ((await host.blockDevices.find(disk + suffix))?.kind === 'partition') return disk + suffix;
  }
  return undefined;
}
