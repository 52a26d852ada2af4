import { visibleOutput } from '../../../kit/terminal/visible.ts';
import type { JournalRecord } from '../../../protocol/journal.ts';
import type { Watcher } from '../../bootstrap/options.ts';
import { describeRecord } from './describe-record.ts';

/** What lines are written to, such as a stream. */
interface Taker {
  /** Bytes that were not taken yet. */
  readonly writableLength: number;
  write(text: string): unknown;
}

/** Lines that nobody reads are kept in memory up to here. */
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * Writes lines to a stream whose reader may be slow or asleep: what it does not take in time is left out, and that is
 * told once it reads again. Nobody who writes a line steers the reader's terminal. Neither the agent's memory nor its work depends on who reads its output.
 */
export class BoundedWriter {
  readonly #stream: Taker;
  #left = 0;

  constructor(stream: Taker) {
    this.#stream = stream;
  }

  line(text: string): void {
    if (this.#stream.writableLength > MOST_BYTES) {
      this.#left += 1;
      return;
    }
    const notice = this.#left === 0 ? '' : `... ${this.#left} lines of output not shown ...\n`;
    this.#left = 0;
    this.#stream.write(`${notice}${visibleOutput(text)}\n`);
  }
}

/**
 * One line a transition on standard error, a child's output on the child's own stream (or all on `into`): for logs,
 * serial consoles and pipes.
 */
export function lineWatcher(into?: 'stdout' | 'stderr'): Watcher {
  const writers = { stdout: new BoundedWriter(process.stdout), stderr: new BoundedWriter(process.stderr) };
  return {
    record(record: JournalRecord) {
      const text = describeRecord(record);
      if (text) writers.stderr.line(`slipway: ${text}`);
    },
    output(line, stream) {
      writers[into ?? stream].line(line);
    },
  };
}
