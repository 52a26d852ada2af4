import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync } from 'node:fs';
import type { OpenFile } from '../../common/files/read-open.ts';
import { isErrno } from '../../common/system/system-error.ts';
import { HostError } from '../../host.ts';

const { O_RDONLY, O_NONBLOCK, O_NOCTTY } = constants;

/** `isSlow`: a pipe or a terminal, of which nobody knows when it says something. */
interface NamedFile extends OpenFile {
  readonly isSlow: boolean;
}

/**
 * Opens what a person named, and waits for nobody: a plain open of a pipe would not end before somebody writes.
 *
 * @throws HostError that says what is there in place of a file; otherwise the system's error
 */
export function openNamed(real: string, path: string): NamedFile {
  const fd = opened(real, path);
  try {
    const stat = fstatSync(fd);
    if (stat.isDirectory()) throw new HostError(`reading ${path}: is a directory`, 'EISDIR', path);
    if (stat.isBlockDevice())
      throw new HostError(`reading ${path}: is a disk, and no file on it`, 'EINVAL', path);
    return { fd, size: stat.isFile() ? stat.size : 0, isSlow: !stat.isFile() };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function opened(real: string, path: string): number {
  try {
    return openSync(real, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  } catch (error) {
    const what = whatIsThere(real, error);
    if (what === undefined) throw error;
    throw new HostError(`reading ${path}: ${what}`, String((error as NodeJS.ErrnoException).code), path);
  }
}

/** The system's own words say of these no more than that it has none. */
function whatIsThere(real: string, error: unknown): string | undefined {
  if (!isErrno(error, 'ENOENT', 'ENXIO', 'ENODEV')) return undefined;
  try {
    const stat = lstatSync(real);
    if (stat.isSymbolicLink()) return `is a link to ${readlinkSync(real)}, where nothing can be read`;
    if (stat.isSocket()) return 'is a socket';
    return 'is a device that nothing drives';
  } catch {
    return undefined;
  }
}
