import type { VolumeEntry } from '../../document/document.ts';
import type { StepContext } from '../../engine/step.ts';
import type { Host } from '../../host/host.ts';
import { Problem } from '../../tools/problem.ts';
import { runTool } from '../../tools/tool.ts';
import type { Work } from '../kind/step-kind.ts';
import { contentOf } from '../storage/content.ts';
import { findDevice, settle } from '../storage/find-device.ts';
import { eachEntry } from '../tools/each-entry.ts';
import { heldBy } from './free.ts';

const MKFS_MS = 30 * 60_000;

/**
 * Makes file systems (Ignition's `createFilesystem`) and mounts those with a path, the shallowest first. One
 * that is as said stays; anything else goes only if it may be wiped.
 */
export const makeVolumes: Work<{ entries: VolumeEntry[] }> = ({ entries }) => ({
  restsOn: ['disks', 'raid', 'luks'],
  async run(context) {
    const made = await eachEntry(entries, context, (entry) => make(entry, context));
    if (!made.done) return made;
    await settle(context.host, context.signal);
    const mounted = entries
      .filter(({ mount }) => mount !== undefined)
      .sort((a, b) => depth(a.mount?.path) - depth(b.mount?.path));
    if (context.host.root !== '/' || mounted.length === 0) return made;
    return eachEntry(mounted, context, (entry) => mountVolume(entry, context));
  },
});

function depth(path = ''): number {
  return path.split('/').filter((part) => part !== '').length;
}

async function make(
  entry: VolumeEntry,
  { host, signal, doneOtherwise, isMissing }: StepContext,
): Promise<string> {
  const { device, format, wipe } = entry;
  const place = await findDevice(host, device, signal);
  const { path } = place;
  // What `wipe` gave up is long gone where the file system was made before: it holds the machine's own data.
  const found =
    wipe && !doneOtherwise && !isMissing ? undefined : await contentOf(host, path, 'FilesystemNotMade');
  if (found && isAsAsked(entry, found)) return `${device} has its ${format}`;
  if (isMissing && found?.type !== undefined) return `${device} holds ${found.type}, and is left as it is`;
  if (found && !wipe) {
    if (found.type !== undefined)
      throw new Problem(
        'DiskLeftAlone',
        `${device} holds ${found.type}, which is not as asked, and wipeFilesystem is not true`,
      );
    const held = heldBy(place, found);
    if (held !== undefined)
      throw new Problem('DiskLeftAlone', `${device} holds ${held}, and wipeFilesystem is not true`);
  }
  if (await host.blockDevices.isInUse(path))
    throw new Problem('DiskInUse', `No ${format} was made on ${device}: it, or a partition of it, is in use`);
  const doing = `make a file system of type ${format} on ${device}`;
  await runTool(host, ['wipefs', '--all', path], { doing, code: 'FilesystemNotMade', signal });
  await runTool(host, mkfs(entry, path), { doing, code: 'FilesystemNotMade', timeoutMs: MKFS_MS, signal });
  return `${format} made on ${device}`;
}

function isAsAsked(
  { format, label, uuid }: VolumeEntry,
  found: { type?: string; label?: string; uuid?: string },
): boolean {
  return (
    found.type === format &&
    (label === undefined || (found.label ?? '') === label) &&
    (uuid === undefined || canonical(format, found.uuid ?? '') === canonical(format, uuid))
  );
}

/** FAT has a number of 32 bits, which blkid writes with a dash and mkfs.fat takes without. */
function canonical(format: string, uuid: string): string {
  const lower = uuid.toLowerCase();
  return format === 'vfat' ? lower.replace(/^(.{4})-/, '$1') : lower;
}

function mkfs({ format, label, uuid, options }: VolumeEntry, path: string): [string, ...string[]] {
  const id = uuid === undefined ? undefined : canonical(format, uuid);
  const named = label === undefined ? [] : [format === 'vfat' ? '-n' : '-L', label];
  const ids: Record<VolumeEntry['format'], string[]> = {
    btrfs: ['-U', id ?? ''],
    ext4: ['-U', id ?? ''],
    swap: ['-U', id ?? ''],
    vfat: ['-i', id ?? ''],
    xfs: ['-m', `uuid=${id}`],
  };
  const force = { btrfs: ['--force'], ext4: ['-F'], swap: ['-f'], vfat: [], xfs: ['-f'] }[format];
  const program = format === 'swap' ? 'mkswap' : `mkfs.${format}`;
  return [program, ...options, ...force, ...(id === undefined ? [] : ids[format]), ...named, path];
}

async function mountVolume(
  { device, format, mount }: VolumeEntry,
  { host, signal }: StepContext,
): Promise<string> {
  const { path, options } = mount ?? { path: '', options: [] };
  if (await isMountPoint(host, path)) return `${path} was mounted`;
  if (!(await host.files.stat(path))) await host.files.mkdir(path, 0o755);
  const flags = options.length > 0 ? ['-o', options.join(',')] : [];
  await runTool(host, ['mount', '-t', format, ...flags, '--', device, path], {
    doing: `mount ${device} at ${path}`,
    code: 'MountFailed',
    signal,
  });
  return `${path} mounted`;
}

async function isMountPoint(host: Host, path: string): Promise<boolean> {
  const { exitStatus } = await host.processes.run({
    argv: ['mountpoint', '--quiet', path],
    timeoutMs: 30_000,
  });
  return exitStatus === 0;
}
