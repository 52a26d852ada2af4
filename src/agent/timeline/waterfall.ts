import { formatMs } from '../../kit/duration.ts';
import { cut, pad, width } from '../../kit/terminal/columns.ts';
import type { BootTimeline, Span, SpanPart } from './spans.ts';

const MARKS: Record<Span['end'], string> = { done: ' ', failed: '✘', pause: ' ', open: '▶' };
const LONGEST_NAME = 40;
const LEAST_BAR = 10;
const MOST_BAR = 60;
/** The boot is on the axis as long as it is at most so many times the rest. */
const MOST_BOOT = 4;
/** Columns of the start, the duration, the mark and what stands between. */
const FIGURES = 23;

/**
 * The timeline as a waterfall: when each stretch began, how long it took, and a bar on a common axis. What
 * took less than a hundredth of all is summed up in one line.
 *
 * @param boots at least one
 * @param columns of the terminal
 */
export function waterfall(boots: readonly BootTimeline[], columns = 100): string {
  return boots.map((boot) => ofBoot(boot, columns)).join('\n');
}

function ofBoot({ began, spans: all }: BootTimeline, columns: number): string {
  const end = Math.max(1, ...all.map(({ fromMs, ms }) => fromMs + ms));
  const { begin, spans } = onAxis(all, end);
  const length = end - begin;
  const shown = rowsOf(spans, length);
  const names = Math.max(
    12,
    Math.min(LONGEST_NAME, columns - FIGURES - LEAST_BAR, Math.max(...shown.map(({ name }) => width(name)))),
  );
  const bar = Math.max(LEAST_BAR, Math.min(MOST_BAR, columns - FIGURES - names));
  const lines = shown.map(({ name, fromMs, ms, mark }) => {
    const at = (time: number) => Math.round(((time - begin) / length) * bar);
    const from = Math.min(bar - 1, at(fromMs));
    const upTo = Math.max(from + 1, at(fromMs + ms));
    const drawn = ' '.repeat(from) + '█'.repeat(upTo - from);
    const figures = `${formatMs(fromMs - begin).padStart(8)} ${formatMs(ms).padStart(8)}`;
    return `${mark} ${pad(cut(name, names), names)} ${figures}  ${drawn}`;
  });
  const late = begin === 0 ? '' : `; Slipway began after ${formatMs(begin)}`;
  return `boot of ${began}, ${formatMs(length)}${late}\n\n  ${pad('', names)} ${'from'.padStart(8)} ${'took'.padStart(8)}\n${lines.join('\n')}\n`;
}

/** Where Slipway was started long after the boot, the wait would leave no room for all else. */
function onAxis(spans: readonly Span[], end: number): { begin: number; spans: readonly Span[] } {
  const [boot, ...rest] = spans;
  const isLong = boot?.fromMs === 0 && rest.length > 0 && boot.ms > MOST_BOOT * (end - boot.ms);
  return isLong ? { begin: boot.ms, spans: rest } : { begin: 0, spans };
}

interface Line extends SpanPart {
  mark: string;
}

function rowsOf(spans: readonly Span[], end: number): Line[] {
  const isShort = ({ ms, end: how }: Span) => ms < end / 100 && how === 'done';
  const rows: Line[] = [];
  let short: Span[] = [];
  const flush = () => {
    const [first] = short;
    const [name, ms] = [`${short.length} short ones`, short.reduce((sum, span) => sum + span.ms, 0)];
    if (first) rows.push({ name: short.length > 1 ? name : first.name, fromMs: first.fromMs, ms, mark: ' ' });
    short = [];
  };
  for (const span of spans) {
    if (isShort(span)) {
      short.push(span);
      continue;
    }
    flush();
    const { name, fromMs, ms, attempt, parts = [] } = span;
    const title = attempt === undefined ? name : `${name}, attempt ${attempt}`;
    rows.push({ name: title, fromMs, ms, mark: MARKS[span.end] });
    for (const part of parts)
      if (part.ms >= end / 100) rows.push({ ...part, name: `  ${part.name}`, mark: ' ' });
  }
  flush();
  return rows;
}
