import type { SlipwayEvent } from '../../../protocol/events.ts';
import { readEvent } from '../../../protocol/read-events.ts';
import { hasShape, isCount, isListOf, isText, maybe } from '../../../protocol/validators.ts';
import { WireError } from '../../../protocol/wire.ts';

/** How far the journal has been told. `id` tells one journal from another that took its place. */
export interface JournalMark {
  id: string;
  seq: number;
}

/** One line of the spool: events that belong together, written at once so that a crash never leaves half of them. */
export interface SpoolLine {
  events: SlipwayEvent[];
  /** The journal record that the events were derived from. */
  journal?: JournalMark;
  /** What was observed, so that it is told once. */
  key?: string;
}

/** First line of a spool that was rewritten: what the lines that are gone had said. */
export interface SpoolBase {
  instance: string;
  /** The highest sequence number ever given. */
  seq: number;
  journal?: JournalMark;
}

/** Reads lines. It passes over damaged ones, and checks each event as a receiver would. */
export function readSpoolLines(texts: readonly string[]): { base?: SpoolBase; lines: SpoolLine[] } {
  const lines: SpoolLine[] = [];
  let base: SpoolBase | undefined;
  for (const text of texts) {
    const value = parse(text);
    if (value?.base) base ??= value.base;
    else if (value) lines.push(value);
  }
  return { ...(base ? { base } : {}), lines };
}

const isMark = hasShape({ id: isText, seq: isCount });
/** No machine counts this far. Behind a number that a disk has damaged there must be room to go on. */
const isSeq = (value: unknown): boolean => isCount(value) && Number(value) <= 2 ** 50;
const isBase = hasShape({ instance: isText, seq: isSeq, journal: maybe(isMark) });
const isLine = hasShape({
  events: isListOf(hasShape({ seq: isSeq })),
  journal: maybe(isMark),
  key: maybe(isText),
});

function parse(text: string): (SpoolLine & { base?: SpoolBase }) | undefined {
  try {
    const value = JSON.parse(text);
    if (isBase(value?.base)) return { base: value.base, events: [] };
    if (!isLine(value)) return undefined;
    for (const event of value.events) readEvent(event);
    return value;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof WireError) return undefined;
    throw error;
  }
}
