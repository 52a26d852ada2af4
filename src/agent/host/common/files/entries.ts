import { type BigIntStats, linkSync, lstatSync, type Stats, statSync } from 'node:fs';
import type { FileStat } from '../../files.ts';
import { isErrno } from '../system/system-error.ts';

/** Undefined where there is nothing. */
export function ifPresent<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}

/** Gives a file another name; it may have it already. */
export function linkOnce(source: string, path: string): void {
  try {
    linkSync(source, path);
  } catch (error) {
    const [one, other] = [source, path].map((name) =>
      lstatSync(name, { throwIfNoEntry: false, bigint: true }),
    );
    const isSame = one !== undefined && one.ino === other?.ino && one.dev === other.dev;
    if (!isErrno(error, 'EEXIST') || !isSame) throw error;
  }
}

/** Where it lies, which file that is, and when it was last changed, in nanoseconds; see `Files.identity`. */
export function identityOf(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (!stat?.isFile()) return undefined;
  const { dev, ino, size, mtimeNs, ctimeNs } = stat;
  return [path, dev, ino, size, mtimeNs, ctimeNs].join();
}

export function kindOf(stat: Stats | BigIntStats): FileStat['kind'] {
  if (stat.isFile()) return 'file';
  if (stat.isDirectory()) return 'directory';
  return stat.isSymbolicLink() ? 'symlink' : 'other';
}
