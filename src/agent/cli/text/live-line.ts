import { formatMs } from '../../../kit/duration.ts';
import { cut, fold, width } from '../../../kit/terminal/columns.ts';
import { visible } from '../../../kit/terminal/visible.ts';
import type { JournalRecord } from '../../../protocol/journal.ts';
import type { Watcher } from '../../bootstrap/options.ts';
import { describeRecord } from './describe-record.ts';

/** The part of a terminal's stream that a live line needs. */
export interface Terminal {
  /** Columns; 0 or absent where the terminal does not know (a serial console). */
  columns?: number | undefined;
  rows?: number | undefined;
  write(text: string): unknown;
  on(event: 'resize', listener: () => void): unknown;
  off(event: 'resize', listener: () => void): unknown;
}

const DEFAULT_COLUMNS = 80;
/** A longer text is cut: what is rewritten must be small, and stay on the screen. */
const MOST_ROWS = 4;

export const columnsOf = ({ columns }: Pick<Terminal, 'columns'>): number => columns || DEFAULT_COLUMNS;

/**
 * The last text of a terminal, rewritten again and again. It wraps at blanks and takes a few rows at most, also after the
 * terminal was made narrower, so nothing scrolls except what is printed above it.
 */
export class LiveLine {
  readonly #terminal: Terminal;
  readonly #resized = () => this.#draw();
  #text = '';
  /** Columns that each row takes as it stands on the terminal. */
  #drawn = [0];

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    terminal.on('resize', this.#resized);
  }

  show(text: string): void {
    this.#text = text;
    this.#draw();
  }

  /** Prints lines that stay, above the live one. */
  print(text: string): void {
    this.#clear();
    this.#terminal.write(`${text}\n`);
    this.#draw();
  }

  /** Takes the line away; nothing is shown from now on. */
  end(): void {
    this.#terminal.off('resize', this.#resized);
    this.#clear();
  }

  #draw(): void {
    this.#clear();
    // The last column stays free: a terminal goes to the next row as soon as it is written.
    const columns = columnsOf(this.#terminal) - 1;
    const most = Math.max(1, Math.min(MOST_ROWS, (this.#terminal.rows || MOST_ROWS + 1) - 1));
    const rows = fold(this.#text, columns);
    const shown = [...rows.slice(0, most - 1), cut(rows.slice(most - 1).join(' '), columns)].slice(
      0,
      rows.length,
    );
    this.#drawn = shown.map(width);
    this.#terminal.write(shown.join('\n'));
  }

  /** A terminal that was made narrower has broken each row into several. */
  #clear(): void {
    const columns = columnsOf(this.#terminal);
    const rows = this.#drawn.reduce((sum, drawn) => sum + Math.max(1, Math.ceil(drawn / columns)), 0);
    this.#drawn = [0];
    this.#terminal.write(rows === 1 ? '\r\x1b[K' : `\r\x1b[${rows - 1}A\x1b[J`);
  }
}

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
