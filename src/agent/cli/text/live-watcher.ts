import { formatMs } from '../../../kit/duration.ts';
import { visible } from '../../../kit/terminal/visible.ts';
import type { JournalRecord } from '../../../protocol/journal.ts';
import type { Watcher } from '../../bootstrap/options.ts';
import { describeRecord } from './describe-record.ts';
import { LiveLine } from './live-line.ts';

const FRAMES = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
const TICK_MS = 100;
/** Select Graphic Rendition. */
const GREEN = 32;
const RED = 31;
const DIM = 2;

/** Live progress on a terminal: a finished step leaves one line, the one under way shows its last words and its time. */
export function liveWatcher(): Watcher & { end(): void } {
  const titles = new Map<string, string>();
  let current: { title: string; since: number; detail: string } | undefined;
  let frame = 0;
  const line = new LiveLine(process.stderr);
  const coloured = process.stderr.hasColors();
  const paint = (text: string, rendition: number) => (coloured ? `\x1b[${rendition}m${text}\x1b[0m` : text);
  const draw = () => {
    if (!current) return line.show('');
    frame = (frame + 1) % FRAMES.length;
    const { title, since, detail } = current;
    line.show(`${FRAMES[frame]} ${title} ${formatMs(performance.now() - since)}  ${detail}`.trimEnd());
  };
  const timer = setInterval(draw, TICK_MS);
  timer.unref();

  const lastLine = (record: Extract<JournalRecord, { type: 'step.ended' }>): string => {
    const { step, result, ms, failure, retryInMs, message } = record;
    const title = titles.get(step) ?? step;
    if (result !== 'failed')
      return `${paint('✔', GREEN)} ${title}  ${paint(`${formatMs(ms)}${message ? `  ${message}` : ''}`, DIM)}`;
    const again = retryInMs === undefined ? '' : `\n  next attempt in ${formatMs(retryInMs)}`;
    return `${paint('✘', RED)} ${title}  ${paint(formatMs(ms), DIM)}\n  ${failure?.cause ?? ''} [${failure?.code ?? ''}]${again}`;
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
        current = undefined;
        line.print(lastLine(record));
      } else {
        const text = describeRecord(record);
        if (text) line.print(text);
      }
      draw();
    },
    output(line) {
      if (current) current.detail = visible(line);
    },
    end() {
      clearInterval(timer);
      line.end();
    },
  };
}
