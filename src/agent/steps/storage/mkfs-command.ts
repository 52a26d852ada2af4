import type { FilesystemEntry } from '../../document/document.ts';
import type { Host } from '../../host/host.ts';
import { StepError } from '../../tools/step-error.ts';

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
 * content: the caller has already made sure that nothing is lost, and these programs know less. Undefined where there is no such program.
 */
export async function mkfsCommand(
  host: Host,
  entry: FilesystemEntry,
  path: string,
): Promise<[string, ...string[]] | undefined> {
  const { filesystem, label, uuid, options, isStrict = false } = entry;
  const [program, ...args] = (entry.command ?? []).map((word) =>
    word.replace(/%%|%\(device\)s/g, (found) => (found === '%%' ? '%' : path)),
  );
  if (program !== undefined) return [program, ...args];
  for (const name of namesOf(filesystem)) {
    const program = await host.processes.which(name);
    if (program === undefined) continue;
    return [
      program,
      // The later one of two that differ counts: the author's own options, or what is said beside them.
      ...(isStrict ? options : []),
      ...(label === undefined ? [] : [labelFlag(filesystem), label]),
      ...(uuid === undefined ? [] : uuidFlags(filesystem, uuid)),
      ...forceFlags(filesystem),
      ...(isStrict ? [] : options),
      path,
    ];
  }
  return undefined;
}

const namesOf = (filesystem: string): string[] => [`mkfs.${filesystem}`, `mk${filesystem}`];

export function withoutMkfs({ filesystem, device }: FilesystemEntry): StepError {
  const cause = `Cannot make a file system of type ${filesystem} on ${device}: there is no ${namesOf(filesystem).join(' or ')}`;
  return new StepError('ToolMissing', cause);
}

/** cloud-init passes -L to all of them, but these do not understand it. */
function labelFlag(filesystem: string): string {
  if (FAT.includes(filesystem)) return '-n';
  return filesystem === 'f2fs' ? '-l' : '-L';
}

function uuidFlags(filesystem: string, uuid: string): string[] {
  const plain = plainUuid(filesystem, uuid);
  if (filesystem === 'xfs') return ['-m', `uuid=${plain}`];
  return [FAT.includes(filesystem) ? '-i' : '-U', plain];
}

/** FAT has a number of 32 bits, which blkid writes with a dash and mkfs.fat takes without. */
export function plainUuid(filesystem: string, uuid: string): string {
  const lower = uuid.toLowerCase();
  return FAT.includes(filesystem) ? lower.replace(/^(.{4})-/, '$1') : lower;
}

/** mkfs.fat checks nothing, but needs -I for a disk without partitions. */
function forceFlags(filesystem: string): string[] {
  if (FAT.includes(filesystem)) return ['-I'];
  const flag = FORCE[filesystem];
  return flag === undefined ? [] : [flag];
}
