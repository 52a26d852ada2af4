import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { kindOf } from '../../common/files/entries.ts';
import { readPart } from '../../common/files/read-open.ts';
import { isErrno } from '../../common/system/system-error.ts';
import type { FileStat } from '../../files.ts';
import { HostError } from '../../host.ts';

const { O_RDONLY, O_NONBLOCK, O_NOCTTY, O_NOFOLLOW, O_DIRECTORY } = constants;
/**
 * Finds a file without opening it (open(2)); Node.js has no name for it, and the number is the same on x86-64 and arm64. A
 * container may have made a device, and merely opening one can have effects: a watchdog starts to count.
 */
const O_PATH = 0o10_000_000;

/** Readable access to what was found, by whatever name it has now. */
const reopen = (fd: number, flags: number): number => openSync(`/proc/self/fd/${fd}`, flags);

/**
 * @param base a path of this process, whose own links are followed
 * @throws HostError; the system's error
 */
export function readTailBelow(
  base: string,
  names: readonly string[],
  maxBytes: number,
): { bytes: Buffer; isWhole: boolean } | undefined {
  return find(base, names, (found, path) => {
    const stat = fstatSync(found);
    refuse(kindOf(stat), 'file', path);
    // Whoever can write here may have given any file of the same file system a second name.
    if (stat.nlink > 1) throw new HostError(`${path} has other names too (hard links)`, 'EINVAL', path);
    const fd = reopen(found, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    const { size } = fstatSync(fd);
    const offset = Math.max(0, size - maxBytes);
    return { bytes: readPart({ fd, size }, offset, maxBytes), isWhole: offset === 0 };
  });
}

/** @throws HostError; the system's error */
export function listBelow(base: string, names: readonly string[], most: number): string[] {
  const listed = find(base, names, (found, path) => {
    refuse(kindOf(fstatSync(found)), 'directory', path);
    // Imported, it would load its part of node:fs at every start.
    const entries = process.getBuiltinModule('node:fs').opendirSync(`/proc/self/fd/${found}`);
    const inside: string[] = [];
    try {
      for (let entry = entries.readSync(); entry && inside.length < most; entry = entries.readSync())
        inside.push(entry.name);
    } finally {
      entries.closeSync();
    }
    return inside.sort();
  });
  return listed ?? [];
}

/** Goes down from one descriptor to the next, so that nothing that is exchanged meanwhile leads elsewhere. */
function find<T>(
  base: string,
  names: readonly string[],
  work: (fd: number, path: string) => T,
): T | undefined {
  let fd: number | undefined;
  let path = base;
  try {
    fd = openSync(base, O_PATH | O_DIRECTORY);
    for (const name of names) {
      if (name === '' || name === '.' || name === '..' || name.includes('/'))
        throw new HostError(`${path} holds nothing of the name ${JSON.stringify(name)}`, 'EINVAL', path);
      if (path !== base) refuse(kindOf(fstatSync(fd)), 'directory', path);
      path = `${path}/${name}`;
      const next = openSync(`/proc/self/fd/${fd}/${name}`, O_PATH | O_NOFOLLOW);
      closeSync(fd);
      fd = next;
    }
    return work(fd, path);
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined;
    throw error;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function refuse(kind: FileStat['kind'], wanted: 'file' | 'directory', path: string): void {
  if (kind === wanted) return;
  if (kind === 'symlink') throw new HostError(`${path} is a symbolic link`, 'ELOOP', path);
  const [what, errno] = wanted === 'file' ? ['regular file', 'EINVAL'] : ['directory', 'ENOTDIR'];
  throw new HostError(`${path} is not a ${what}`, errno ?? 'EINVAL', path);
}
