import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { HostError } from '../../host.ts';
import type { Parent } from './paths/open-parent.ts';

const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NOCTTY, O_NONBLOCK } = constants;

/**
 * Opens a file to write at its end, and makes it if it is missing. It never waits, and in somebody else's directory it
 * takes no pipe or device that was put there in the file's place. `path` is for words.
 *
 * @throws HostError EINVAL, ENXIO for a pipe; otherwise the system's error
 */
export function openToAppend({ directory, name, isForeign }: Parent, path: string, mode: number): number {
  const flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NOCTTY;
  const fd = openSync(join(directory, name), isForeign ? flags | O_NONBLOCK : flags, mode);
  if (!isForeign || fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw new HostError(`writing ${path}: is not a regular file`, 'EINVAL', path);
}
