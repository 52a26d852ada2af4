import type { JournalRecord } from '../../../protocol/journal.ts';
import type { Watcher } from '../../bootstrap/options.ts';
import { BoundedWriter } from './bounded-writer.ts';
import { describeRecord } from './describe-record.ts';

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
