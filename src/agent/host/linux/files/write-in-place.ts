import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  type Stats,
  writeSync,
} from 'node:fs';
import { delay, elapsedMs } from '../../common/system/clock.ts';
import { isErrno, toHostError } from '../../common/system/system-error.ts';
import { HostError } from '../../host.ts';
import type { AtomicWrite } from './atomic-file.ts';
import type { Parent } from './paths/open-parent.ts';

const { O_RDWR, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;

/**
 * Writes what no rename can replace: a device, a file of /proc or /sys, a bind-mounted file. `path` is for words.
 *
 * @param root What lies below it is an image unless it is `/`, and whoever made an image can have laid a node of any disk in it.
 * @returns false if there is nothing or a file that a rename can replace
 * @throws HostError EISDIR, EINVAL for a pipe or a socket, or a device of an image; otherwise the system's error
 */
export function writeInPlace(
  write: AtomicWrite,
  { directory, isForeign }: Parent,
  { root, path }: { root: string; path: string },
): boolean {
  const present = lstatSync(write.path, { throwIfNoEntry: false });
  if (!present) return false;
  if (present.isDirectory()) throw new HostError(`writing ${path}: is a directory`, 'EISDIR', path);
  if (root !== '/' && (present.isCharacterDevice() || present.isBlockDevice())) {
    const words = `writing ${path}: is a device, and devices are the machine's, not the image's; remove it from the image`;
    throw new HostError(words, 'EINVAL', path);
  }
  const isOfKernel = !isForeign && /^\/(?:proc|sys)\//.test(write.path);
  if (present.isFile() && present.dev === lstatDirectory(directory).dev && !isOfKernel) return false;
  const fd = openSync(write.path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  try {
    const stat = fstatSync(fd);
    const isDevice = (stat.isCharacterDevice() || stat.isBlockDevice()) && !isForeign && root === '/';
    // Only root can mount something where somebody else has a directory.
    const isMounted = stat.isFile() && stat.dev !== lstatDirectory(directory).dev;
    if (isDevice || isOfKernel) writeAll(fd, write.content);
    else if (isMounted) replaceContent(fd, stat, write);
    else throw new HostError(`writing ${path}: is not a regular file`, 'EINVAL', path);
    return true;
  } finally {
    closeSync(fd);
  }
}

/** `/proc/self/fd/N` is a link; with the slash, what it leads to is meant. */
function lstatDirectory(directory: string): Stats {
  return lstatSync(`${directory}/.`);
}

/** Whoever may read the new content may at no moment be more than who may read it in the end. */
function replaceContent(fd: number, { uid, gid }: Stats, { content, mode, owner }: AtomicWrite): void {
  fchownSync(fd, process.geteuid?.() ?? uid, process.getegid?.() ?? gid);
  fchmodSync(fd, 0o600);
  ftruncateSync(fd, 0);
  writeAll(fd, content);
  fchownSync(fd, owner?.uid ?? uid, owner?.gid ?? gid);
  fchmodSync(fd, mode);
  fsyncSync(fd);
}

function writeAll(fd: number, content: Uint8Array): void {
  let written = 0;
  while (written < content.length) written += writeSync(fd, content, written);
}

/** See `Files.writeDevice`. With flow control, an unread serial line blocks an ordinary writer for ever. */
export function writeDevice(real: string, data: Uint8Array): number {
  const fd = openSync(real, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    return writeSync(fd, data);
  } catch (error) {
    if (isErrno(error, 'EAGAIN')) return 0;
    throw error;
  } finally {
    closeSync(fd);
  }
}

const TRY_MS = 2;

/** See `Files.tell`. Without a reader, a non-blocking open fails with ENXIO; a blocking one would wait. */
export async function writeToPipe(
  real: string,
  path: string,
  line: string,
  timeoutMs: number,
): Promise<void> {
  const end = elapsedMs() + timeoutMs;
  for (;;) {
    const fd = openForReader(real, path);
    if (fd !== undefined) {
      try {
        writeSync(fd, `${line}\n`);
      } finally {
        closeSync(fd);
      }
      return;
    }
    if (elapsedMs() > end) throw new HostError(`nobody reads from ${path}`, 'ETIMEDOUT', path);
    await delay(TRY_MS);
  }
}

function openForReader(real: string, path: string): number | undefined {
  try {
    return openSync(real, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (isErrno(error, 'ENXIO', 'ENOENT')) return undefined;
    throw toHostError(error, 'opening', path);
  }
}
