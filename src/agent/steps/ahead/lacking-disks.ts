import { dirname } from 'node:path/posix';
import type { Document, ReportEntry } from '../../document/document.ts';
import type { Host } from '../../host/host.ts';
import { printable } from '../../text/report.ts';
import { kindAt } from './places.ts';
import { warnings } from './warnings.ts';

type Asked = Pick<Host, 'files' | 'processes' | 'root'>;

const MIB = 2 ** 20;
/** The kernel swaps to no file of these. */
const NEVER_SWAP = /^(?:tmpfs|ramfs|overlay|squashfs|zfs|nfs\d?|9p|virtiofs|fuse\b.*)$/;
const GROWERS: Readonly<Record<string, string>> = {
  ext2: 'resize2fs',
  ext3: 'resize2fs',
  ext4: 'resize2fs',
  xfs: 'xfs_growfs',
  btrfs: 'btrfs',
};

/** Disks that are not there, and swap files that none can take. Each step goes on without it, so each is a warning. */
export async function lackingDisks(host: Asked, document: Document): Promise<ReportEntry[]> {
  const { system, mounts, filesystems, disks, volumes = [] } = document;
  const { warn, found } = warnings(document);
  const lacks = async (program: string, why: string, ...keys: string[]) => {
    if ((await host.processes.which(program)) !== undefined) return false;
    warn('ToolMissing', `The program ${program} is not on this machine, so ${why}`, ...keys);
    return true;
  };
  const grow = system?.growPartitions;
  if (grow && !(await lacks('growpart', 'no partition grows', 'growpart', 'growPartitions')))
    for (const device of grow.devices)
      if ((await kindAt(host.files, device)) === 'nothing')
        warn(
          'SystemSettingFailed',
          `There is no ${printable(device)} on this machine whose partition could grow`,
          'growpart',
          'growPartitions',
        );
  const mounted = await mountsOf(host);
  const isMade = mounts.length + filesystems.length + disks.length + volumes.length > 0;
  const root = mounted?.findLast(({ at }) => at === '/')?.type;
  if (system?.growRoot && root !== undefined) {
    const program = GROWERS[root];
    if (program !== undefined)
      await lacks(program, 'the root file system does not grow', 'resize_rootfs', 'growRoot');
    else
      warn(
        'SystemSettingFailed',
        `The root file system is of the type ${printable(root)}, which nobody knows how to grow in use`,
        'resize_rootfs',
        'growRoot',
      );
  }
  const swap = system?.swap;
  if (swap === undefined || isMade) return found;
  const kind = await kindAt(host.files, swap.file);
  if (kind === 'directory') warn('SystemSettingFailed', `${swap.file} is no file to swap to`, 'swap');
  if (kind !== 'nothing') return found;
  for (const program of ['mkswap', ...(host.root === '/' ? ['swapon'] : [])])
    if (await lacks(program, 'it swaps to no file', 'swap')) return found;
  const type = mounted && typeAt(mounted, swap.file);
  if (type !== undefined && NEVER_SWAP.test(type))
    warn('SystemSettingFailed', `${swap.file} lies on ${printable(type)}, where nothing can swap`, 'swap');
  // What grows before has more room then.
  if (grow || system?.growRoot || swap.size === 'auto') return found;
  const free = await freeBytes(host.files, dirname(swap.file));
  if (free !== undefined && swap.size > free)
    warn(
      'SystemSettingFailed',
      `${swap.file} is to have ${Math.floor(swap.size / MIB)} MiB, and there are ${Math.floor(free / MIB)} MiB left where it is to lie`,
      'swap',
    );
  return found;
}

type Mount = { at: string; type: string };

/** Undefined where there is no such machine: below a directory. */
async function mountsOf({ files, root }: Asked): Promise<Mount[] | undefined> {
  if (root !== '/') return undefined;
  const text = (await files.readIfPresent('/proc/mounts').catch(() => undefined))?.toString('utf8');
  return text?.split('\n').flatMap((line) => {
    const [, at = '', type = ''] = line.split(' ');
    return at === '' ? [] : [{ at, type }];
  });
}

function typeAt(mounts: readonly Mount[], path: string): string | undefined {
  const above = mounts.filter(({ at }) => `${path}/`.startsWith(at.endsWith('/') ? at : `${at}/`));
  const deepest = Math.max(...above.map(({ at }) => at.length));
  return above.findLast(({ at }) => at.length === deepest)?.type;
}

async function freeBytes(files: Host['files'], directory: string): Promise<number | undefined> {
  let place = directory;
  while (place !== '/' && (await kindAt(files, place)) !== 'directory') place = dirname(place);
  return (await files.space(place).catch(() => undefined))?.freeBytes;
}
