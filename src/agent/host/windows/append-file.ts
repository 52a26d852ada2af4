import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import { appendHandle } from '../common/files/append-handle.ts';
import type { AppendHandle } from '../files.ts';

/**
 * Opens a file that this process alone writes to its end. Not in append mode, in which Windows refuses to cut a file.
 *
 * @param real as Windows names it
 */
export function openToAppend(real: string, path: string): AppendHandle {
  const fd = openSync(real, constants.O_RDWR | constants.O_CREAT);
  return appendHandle(fd, path, (bytes) => writeSync(fd, bytes, 0, bytes.length, fstatSync(fd).size));
}
