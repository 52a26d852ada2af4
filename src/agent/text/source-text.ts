import { omitUndefined } from '../../kit/json.ts';
import type { Position } from '../document/document.ts';

/**
 * A text that knows where each of its characters came from. Lines and columns count from 1; columns count
 * UTF-16 units, which are what editors show for all but rare characters.
 */
export interface SourceText {
  readonly text: string;
  /** Position of an offset into `text`, in the user data as the user wrote it. */
  locate(offset: number): Position;
  /** Explains positions that do not simply count in the text. */
  readonly note?: string;
  /** What the text is called, if it is not the user data but one that these have from elsewhere. */
  readonly within?: string;
}

/** A text that stands line for line in the user data, `skippedLines` lines below its beginning. */
export function plainText(text: string, skippedLines = 0, note?: string): SourceText {
  const lines = lineStarts(text);
  let line = 0;
  return {
    text,
    locate: (offset) => {
      line = lineOf(lines, offset, line);
      return { line: line + 1 + skippedLines, column: offset - (lines[line] ?? 0) + 1 };
    },
    ...(note === undefined ? {} : { note }),
  };
}

/** A piece of a derived text: `text` came from `origin` in the older text. */
export interface Piece {
  text: string;
  origin: number;
  /** True if the characters are the older text's, one by one; otherwise all of them come from `origin`. */
  verbatim: boolean;
}

/** A text that consists of pieces of an older text and of results computed at places in it. */
export function derivedText(older: SourceText, pieces: readonly Piece[]): SourceText {
  const kept = pieces.filter((piece) => piece.text !== '');
  const starts: number[] = [];
  let length = 0;
  for (const piece of kept) {
    starts.push(length);
    length += piece.text.length;
  }
  return {
    text: kept.map((piece) => piece.text).join(''),
    locate: (offset) => {
      const index = lastAtOrBelow(starts, offset);
      const piece = kept[index];
      if (piece === undefined) return older.locate(0);
      const into = piece.verbatim ? Math.min(offset - (starts[index] ?? 0), piece.text.length) : 0;
      return older.locate(piece.origin + into);
    },
    ...omitUndefined({ note: older.note, within: older.within }),
  };
}

/** What of a text is left behind its first characters. */
export function sliceFrom(source: SourceText, start: number): SourceText {
  return { ...source, text: source.text.slice(start), locate: (offset) => source.locate(start + offset) };
}

/** Offsets of the beginnings of lines. */
function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** Whoever reads a text asks for one place after the other, so most are in the line asked for `last`, or in the next. */
function lineOf(starts: readonly number[], offset: number, last: number): number {
  const has = (line: number) =>
    (starts[line] ?? Infinity) <= offset && offset < (starts[line + 1] ?? Infinity);
  if (has(last)) return last;
  return has(last + 1) ? last + 1 : lastAtOrBelow(starts, offset);
}

/** Index of the last element that is at most `value`; 0 if there is none. */
function lastAtOrBelow(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((sorted[middle] ?? 0) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
