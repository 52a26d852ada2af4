import { closeSync, openSync, readSync } from 'node:fs';

/** Most files of /proc fit. All reads share it, because they are synchronous. */
const scratch = Buffer.allocUnsafeSlow(4096);

/**
 * Reads a file that does not reveal its size, such as those in /proc. Node.js allocates 64 KiB for each such
 * read; a reader that looks several times a second would hold a dozen of those until V8 collects them.
 *
 * @throws the system's error, as node:fs does
 */
export function readUnsized(path: string): Buffer {
  const fd = openSync(path, 'r');
  try {
    const parts: Buffer[] = [];
    for (;;) {
      const size = readSync(fd, scratch, 0, scratch.length, null);
      if (size === 0) return Buffer.concat(parts);
      parts.push(Buffer.from(scratch.subarray(0, size)));
    }
  } finally {
    closeSync(fd);
  }
}
