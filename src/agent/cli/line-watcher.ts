import type { JournalRecord } from '../../protocol/journal.ts';
import type { Watcher } from '../bootstrap.ts';
import { describeRecord } from './describe-record.ts';

/**
 * One line a transition on standard error, a child's output on the child's own stream (or all on `into`): for logs,
 * serial consoles and pipes.
 */
export function lineWatcher(into?: 'stdout' | 'stderr'): Watcher {
  return {
    record(record: JournalRecord) {
      const text = describeRecord(record);
      if (text) process.stderr.write(`slipway: ${text}\n`);
    },
    output(line, stream) {
      process[into ?? stream].write(`${line}\n`);
    },
  };
}
