import { closeSync, readSync } from 'node:fs';
import { HostError } from '../../host.ts';

/** A file that is open for reading, and what the system says of its size. */
export interface OpenFile {
  readonly fd: number;
  readonly size: number;
}

/** No file that Slipway reads as a whole is larger; a caller may allow less. */
export const MAX_FILE_BYTES = 256 * 1024 * 1024;

/**
 * Reads all of it, and closes it.
 *
 * @throws HostError EFBIG if it holds more than `maxBytes`; otherwise the system's error
 */
export function readOpen({ fd, size }: OpenFile, maxBytes: number, path: string): Buffer {
  try {
    return readBounded(fd, size, maxBytes, path);
  } finally {
    closeSync(fd);
  }
}

/** Reads a part of it, shorter where the file ends, and closes it. */
export function readPart({ fd }: OpenFile, offset: number, length: number): Buffer {
  try {
    const buffer = Buffer.alloc(length);
    return buffer.subarray(0, readSync(fd, buffer, 0, length, offset));
  } finally {
    closeSync(fd);
  }
}

/** Most files of /proc fit. All reads share it, because they are synchronous. */
const scratch = Buffer.allocUnsafeSlow(4096);

/**
 * Reads an open file, of which `size` is what the system says. Files that do not reveal their size, such as those in
 * /proc, have 0: Node.js allocates 64 KiB for each read of those; a reader that looks several times a second would
 * hold a dozen until V8 collects them.
 *
 * @param from where to begin; null: where the last read ended
 * @throws HostError EFBIG if it holds more than `maxBytes`; otherwise the system's error
 */
export function readBounded(
  fd: number,
  size: number,
  maxBytes: number,
  path: string,
  from: number | null = null,
): Buffer {
  if (size > maxBytes) throw tooLarge(path, `${size} bytes, more`, maxBytes);
  if (size > 0) return readSized(fd, size, from);
  const parts: Buffer[] = [];
  for (let total = 0; ; ) {
    const got = readSync(fd, scratch, 0, scratch.length, from === null ? null : from + total);
    if (got === 0) return Buffer.concat(parts);
    total += got;
    if (total > maxBytes) throw tooLarge(path, 'more bytes', maxBytes);
    parts.push(Buffer.from(scratch.subarray(0, got)));
  }
}

/** What has been there when the file was opened; it may have become shorter. */
function readSized(fd: number, size: number, from: number | null): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let total = 0;
  while (total < size) {
    const got = readSync(fd, bytes, total, size - total, from === null ? null : from + total);
    if (got === 0) break;
    total += got;
  }
  return bytes.subarray(0, total);
}

function tooLarge(path: string, has: string, maxBytes: number): HostError {
  return new HostError(`${path} has ${has} than the ${maxBytes} allowed`, 'EFBIG', path);
}
