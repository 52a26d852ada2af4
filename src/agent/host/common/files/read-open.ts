import { closeSync, readSync } from 'node:fs';
import { readBounded } from './read-bounded.ts';

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
