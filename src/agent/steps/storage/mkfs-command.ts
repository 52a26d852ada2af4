import type { FilesystemEntry } from '../../document/document.ts';
import type { Host } from '../../host/host.ts';
import { Problem } from '../../tools/problem.ts';

const FAT: readonly string[] = ['vfat', 'fat', 'msdos'];
const FORCE: Readonly<Record<string, string>> = {
  btrfs: '-f',
  ext2: '-F',
  ext3: '-F',
  ext4: '-F',
  f2fs: '-f',
  reiserfs: '-f',
  swap: '-f',
  xfs: '-f',
};

/** blkid's name for a file system that user data calls so. */
export function blkidType(filesystem: string): string {
  return FAT.includes(filesystem) ? 'vfat' : filesystem;
}

/**
 * The command that makes a file system: the author's own, `mkfs.TYPE`, or `mkTYPE` (mkswap). Its flags let it overwrite old
 * content: the caller has already made sure that nothing is lost, and these programs know less.
 *
 * @throws Problem ToolMissing
 */
export async function mkfsCommand(
  host: Host,
  entry: FilesystemEntry,
  path: string,
): Promise<[string, ...string[]]> {
  const { filesystem, label, extraOpts } = entry;
  const [program, ...args] = (entry.command ?? []).map((word) =>
    word.replace(/%%|%\(device\)s/g, (found) => (found === '%%' ? '%' : path)),
  );
  if (program !== undefined) return [program, ...args];
  const names = [`mkfs.${filesystem}`, `mk${filesystem}`];
  for (const name of names) {
    const program = await host.processes.which(name);
    if (program === undefined) continue;
    return [
      program,
      ...(label === undefined ? [] : [labelFlag(filesystem), label]),
      ...forceFlags(filesystem),
      ...extraOpts,
      path,
    ];
  }
  const cause = `Cannot make a file system of type ${filesystem} on ${entry.device}: there is no ${names.join(' or ')}`;
  throw new Problem('ToolMissing', cause);
}

/** cloud-init passes -L to all of them, but these do not understand it. */
function labelFlag(filesystem: string): string {
  if (FAT.includes(filesystem)) return '-n';
  return filesystem === 'f2fs' ? '-l' : '-L';
}

/** mkfs.fat checks nothing, but needs -I for a disk without partitions. */
function forceFlags(filesystem: string): string[] {
  if (FAT.includes(filesystem)) return ['-I'];
  const flag = FORCE[filesystem];
  return flag === undefined ? [] : [flag];
}
