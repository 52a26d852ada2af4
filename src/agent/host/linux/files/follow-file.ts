import { closeSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs';
import { LineSplitter } from '../../line-splitter.ts';
import { TailBuffer } from '../../tail-buffer.ts';
import { elapsedMs } from '../system/clock.ts';

const POLL_MS = 50;
const KEEP_BYTES = 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;
/** Behind by more than this, the agent would do nothing but read; all but the end is passed over, and that is told. */
const BURST_BYTES = 1024 * 1024;
const BURST_KEPT_BYTES = 256 * 1024;
/** How long one look may take while the program still runs; deadlines and heartbeats wait meanwhile. */
const LOOK_MS = 100;
/** What was read is given back to the file system from this size on: the file lies in /run, which is memory. */
const GIVE_BACK_BYTES = 16 * 1024 * 1024;

export interface Follower {
  /** Reads what has come until now, delivering whole lines. */
  catchUp(): void;
  /** Reads the rest, stops following, and gives the last MiB of the file. */
  finish(): Promise<string>;
}

/**
 * Delivers each line of a file that a program appends to. Polls, since the file may lie on a file system that has no
 * notifications. However much the program prints, the agent's time and the file's size stay bounded: of a burst only the
 * last part is delivered, behind a line that tells how much was passed over.
 */
export function followFile(path: string, onLine: (line: string) => void): Follower {
  const fd = openSync(path, 'r+');
  const splitter = new LineSplitter(onLine);
  const tail = new TailBuffer(KEEP_BYTES);
  let at = 0;
  let open = true;

  const read = (until: number, ms: number) => {
    const end = elapsedMs() + ms;
    while (at < until && elapsedMs() < end) {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, until - at));
      const size = readSync(fd, chunk, 0, chunk.length, at);
      if (size === 0) return;
      at += size;
      tail.push(chunk.subarray(0, size));
      splitter.push(chunk.subarray(0, size));
    }
  };
  const look = (ms: number) => {
    if (!open) return;
    const { size } = fstatSync(fd);
    if (size - at > BURST_BYTES) {
      const passed = size - at - BURST_KEPT_BYTES;
      splitter.end();
      onLine(`... ${Math.round(passed / 1024 / 1024)} MiB of output not shown ...`);
      at += passed;
    }
    read(size, ms);
    // The program appends, so it goes on at the new end. What it prints in this very moment may be lost.
    if (at >= GIVE_BACK_BYTES && at === fstatSync(fd).size) {
      ftruncateSync(fd, 0);
      at = 0;
    }
  };
  const catchUp = () => look(Number.POSITIVE_INFINITY);
  const timer = setInterval(look, POLL_MS, LOOK_MS);
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
