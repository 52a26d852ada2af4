import { closeSync, fsyncSync, ftruncateSync } from 'node:fs';
import type { AppendHandle } from '../../files.ts';
import { toHostError } from '../system/system-error.ts';

/**
 * Writes to the end of an open file, for as long as the handle is open. What no call has synced, closing does.
 *
 * @param write puts some of the bytes at the file's end, and says how many
 */
export function appendHandle(fd: number, path: string, write: (bytes: Uint8Array) => number): AppendHandle {
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
        isSynced = false;
        let rest: Uint8Array = typeof data === 'string' ? Buffer.from(data) : data;
        while (rest.length > 0) rest = rest.subarray(write(rest));
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
