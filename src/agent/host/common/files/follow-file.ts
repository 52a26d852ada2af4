import { closeSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs';
import { LineSplitter, TailBuffer } from '../../program-output.ts';
import { elapsedMs } from '../system/clock.ts';

const POLL_MS = 50;
const KEEP_BYTES = 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;
/** If the agent is further behind than this, it would only read all day; it skips to the end and says so. */
const BURST_BYTES = 1024 * 1024;
const BURST_KEPT_BYTES = 256 * 1024;
/** Bounds one look while the program runs, because deadlines and heartbeats wait meanwhile. */
const LOOK_MS = 100;
/** From this size on, what was read goes back to the file system: the file lies in /run, which is memory. */
const GIVE_BACK_BYTES = 16 * 1024 * 1024;

interface Follower {
  /** Reads what has come so far and delivers whole lines. */
  catchUp(): void;
  /** Reads the rest, stops following, and returns the last MiB of the file. */
  finish(): Promise<string>;
}

/**
 * Delivers each line of a file that a program appends to. It polls, because the file system may lack
 * notifications. However much the program prints, the agent's time and the file's size stay bounded: of a
 * burst it delivers only the last part, after a line that says how much it skipped.
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
    // The program appends, so it continues at the new end. What it prints at this very moment may be lost.
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
