import { closeSync, openSync, readSync } from 'node:fs';

/** Most files of /proc fit in here. One for all reads, which are synchronous. */
const scratch = Buffer.allocUnsafeSlow(4096);

/**
 * Reads a file that says nothing of its size, as those of /proc do. Node.js takes 64 KiB for each such read; whoever looks
 * at them several times a second holds a dozen of those until V8 collects them.
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
