import { formatMs } from '../../../kit/duration.ts';
import type { JournalRecord } from '../../../protocol/journal.ts';
import type { Watcher } from '../../bootstrap.ts';
import { describeRecord } from './describe-record.ts';

const FRAMES = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
const TICK_MS = 100;

/** Live progress on a terminal: a finished step leaves one line, the one under way shows its last words and its time. */
export function liveWatcher(): Watcher & { end(): void } {
  const titles = new Map<string, string>();
  let current: { title: string; since: number; detail: string } | undefined;
  let frame = 0;
  const clear = () => process.stderr.write('\r\x1b[K');
  const draw = () => {
    if (!current) return;
    frame = (frame + 1) % FRAMES.length;
    const head = `${FRAMES[frame]} ${current.title} ${formatMs(performance.now() - current.since)}`;
    const room = (process.stderr.columns ?? 80) - head.length - 3;
    const detail = current.detail && room > 10 ? `  \x1b[2m${current.detail.slice(0, room)}\x1b[0m` : '';
    process.stderr.write(`\r\x1b[K${head}${detail}`);
  };
  const timer = setInterval(draw, TICK_MS);
  timer.unref();

  const lastLine = (record: Extract<JournalRecord, { type: 'step.ended' }>): string => {
    const { step, result, ms, failure, retryInMs, message } = record;
    const title = titles.get(step) ?? step;
    if (result !== 'failed')
      return `\x1b[32m✔\x1b[0m ${title}  \x1b[2m${formatMs(ms)}${message ? `  ${message}` : ''}\x1b[0m`;
    const again = retryInMs === undefined ? '' : `\n  next attempt in ${formatMs(retryInMs)}`;
    return `\x1b[31m✘\x1b[0m ${title}  \x1b[2m${formatMs(ms)}\x1b[0m\n  ${failure?.cause ?? ''} [${failure?.code ?? ''}]${again}`;
  };

  return {
    record(record) {
      if (record.type === 'sequence.started') for (const { id, title } of record.steps) titles.set(id, title);
      if (record.type === 'step.started') {
        const title = titles.get(record.step) ?? record.step;
        const attempt = record.attempt > 1 ? ` (attempt ${record.attempt})` : '';
        current = { title: `${title}${attempt}`, since: performance.now(), detail: '' };
      } else if (record.type === 'step.progress') {
        if (current) current.detail = record.message;
      } else if (record.type === 'step.ended') {
        clear();
        current = undefined;
        process.stderr.write(`${lastLine(record)}\n`);
      } else {
        const text = describeRecord(record);
        clear();
        if (text) process.stderr.write(`${text}\n`);
      }
      draw();
    },
    output(line) {
      if (current) current.detail = line;
    },
    end() {
      clearInterval(timer);
      clear();
    },
  };
}
