import { closeSync, openSync, readSync } from 'node:fs';
import { LineSplitter } from '../line-splitter.ts';
import { TailBuffer } from '../tail-buffer.ts';

const POLL_MS = 50;
const KEEP_BYTES = 1024 * 1024;

export interface Follower {
  /** Reads what has come until now, delivering whole lines. */
  catchUp(): void;
  /** Reads the rest, stops following, and gives the last MiB of the file. */
  finish(): Promise<string>;
}

/** Delivers each line of a growing file. Polls, since the file may lie on a file system that has no notifications. */
export function followFile(path: string, onLine: (line: string) => void): Follower {
  const fd = openSync(path, 'r');
  const splitter = new LineSplitter(onLine);
  const tail = new TailBuffer(KEEP_BYTES);
  const buffer = Buffer.alloc(64 * 1024);
  let open = true;
  const catchUp = () => {
    if (!open) return;
    for (let size = readSync(fd, buffer); size > 0; size = readSync(fd, buffer)) {
      const chunk = Buffer.from(buffer.subarray(0, size));
      tail.push(chunk);
      splitter.push(chunk);
    }
  };
  const timer = setInterval(catchUp, POLL_MS);
  return {
    catchUp,
    async finish() {
      clearInterval(timer);
      catchUp();
      splitter.end();
      open = false;
      closeSync(fd);
      return tail.toString();
    },
  };
}
