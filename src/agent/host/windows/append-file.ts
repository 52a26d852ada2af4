import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { toHostError } from '../common/system/system-error.ts';
import type { AppendHandle } from '../files.ts';

/**
 * Opens a file that this process alone writes to its end. Not in append mode, in which Windows refuses to cut a file.
 *
 * @param real as Windows names it
 */
export function openToAppend(real: string, path: string): AppendHandle {
  const fd = openSync(real, constants.O_RDWR | constants.O_CREAT);
  const guarded = (doing: string, work: () => void) => {
    try {
      work();
    } catch (error) {
      throw toHostError(error, doing, path);
    }
  };
  let isSynced = true;
  const sync = () => {
    fsyncSync(fd);
    isSynced = true;
  };
  return {
    async append(data, durable = true) {
      guarded('writing', () => {
        const bytes = typeof data === 'string' ? Buffer.from(data) : data;
        isSynced = false;
        const from = fstatSync(fd).size;
        let written = 0;
        while (written < bytes.length)
          written += writeSync(fd, bytes, written, bytes.length - written, from + written);
        if (durable) sync();
      });
    },
    async truncate(length) {
      guarded('truncating', () => {
        ftruncateSync(fd, length);
        sync();
      });
    },
    async close() {
      try {
        if (!isSynced) guarded('writing', sync);
      } finally {
        closeSync(fd);
      }
    },
  };
}
