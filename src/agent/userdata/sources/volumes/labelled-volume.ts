import { type Host, HostError } from '../../../host/host.ts';
import type { PlatformInfo } from '../../../platform/platform-info.ts';
import { directoryTree, type Tree } from '../contract/tree.ts';
import { entryAt, type Volume } from '../images/volume.ts';
import { labelled, readDevice, type ScannedVolume } from './scan.ts';

/** Reads what a source looks for among a volume's files; undefined if it is not there. */
type ReadTree<T> = (tree: Tree) => Promise<T | undefined>;

/**
 * Looks for something on the volumes with one of these labels.
 *
 * @throws HostError if such a volume is there but cannot be read. To report "no user data" instead would mislead whoever
 * looks for the cause.
 */
export async function readLabelledVolume<T>(
  machine: PlatformInfo,
  labels: readonly string[],
  read: ReadTree<T>,
): Promise<{ device: string; found: T } | undefined> {
  return readFirst(machine, await labelled(machine, labels), read);
}

/** The same for given volumes. */
export async function readFirst<T>(
  { host }: PlatformInfo,
  volumes: readonly ScannedVolume[],
  read: ReadTree<T>,
): Promise<{ device: string; found: T } | undefined> {
  let failure: HostError | undefined;
  for (const { device } of volumes) {
    try {
      const found = await readVolume(host, device, read);
      if (found !== undefined) return { device, found };
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  return undefined;
}

/**
 * Reads files of a volume: where it is mounted, else by our own readers, which need no driver of the kernel and leave nothing
 * mounted; else, where these do not know its kind, mounted read-only at a private place for as long as it is read.
 *
 * @throws HostError if none of this goes
 */
async function readVolume<T>(host: Host, device: string, read: (tree: Tree) => Promise<T>): Promise<T> {
  const mounted = host.platform === 'windows' ? device : await mountPoint(host, device);
  if (mounted !== undefined) return read({ ...directoryTree(host.files, mounted), place: device });
  try {
    const { openVolume } = await import('../images/open-volume.ts');
    const volume = await openVolume(readDevice(host, device));
    if (volume === undefined) throw new HostError('it is not iso9660, udf or vfat', 'EIO');
    return await read(volumeTree(volume, device));
  } catch (error) {
    if (!(error instanceof HostError) || error.errno !== 'EIO') throw error;
    const { readMounted } = await import('./mounted.ts');
    return readMounted(host, device, read, error.message);
  }
}

function volumeTree({ root }: Volume, place: string): Tree {
  return {
    place,
    read: async (path) => (await entryAt(root, path))?.content?.(),
    list: async (path) => [...((await (await entryAt(root, path))?.children?.())?.keys() ?? [])].sort(),
  };
}

async function mountPoint(host: Host, device: string): Promise<string | undefined> {
  const table = (await host.files.readIfPresent('/proc/self/mounts'))?.toString('utf8') ?? '';
  // Any user may give a mount of FUSE the name of a device.
  const mounts = table.split('\n').map((line) => line.split(' '));
  const mount = mounts.find(([source, , type = '']) => source === device && !type.startsWith('fuse'));
  return mount
    ?.at(1)
    ?.replace(/\\([0-7]{3})/g, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 8)));
}
