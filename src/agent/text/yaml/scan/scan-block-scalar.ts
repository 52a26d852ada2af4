import { type Cursor, isBreak, isBreakOrEnd } from './cursor.ts';
import { YamlSyntaxError } from './syntax-error.ts';
import type { Token } from './tokens.ts';

const COMMENT = / *(?:#[^\n\u2028\u2029]*)?/y;
const BLANKS_AND_COMMENT = /[ \t]*(?:#[^\n\u2028\u2029]*)?/y;
const HEADER = /([+-]?)([0-9]?)([+-]?)/y;

/** A literal (`|`) or folded (`>`) text; `indent` is the surrounding collection's, -1 if there is none. */
export function scanBlockScalar(cursor: Cursor, indent: number): Token {
  const start = cursor.at;
  const folded = cursor.peek() === '>';
  cursor.forward();
  const { chomping, increment } = takeHeader(cursor);
  const from = cursor.at;
  const least = Math.max(1, indent + 1);
  const first =
    increment === undefined ? takeIndentation(cursor) : { breaks: [], deepest: least + increment - 1 };
  const own = increment === undefined ? Math.max(least, first.deepest) : first.deepest;
  const breaks = increment === undefined ? first.breaks : takeBreaks(cursor, own);
  const text = takeLines(cursor, own, folded, breaks, chomping);
  const token = { kind: 'scalar', text, plain: false, at: start } as const;
  return folded ? token : { ...token, literal: { from, to: cursor.at, indent: own } };
}

/** Joins the lines at the text's own indentation, and ends them by the chomping rule. */
function takeLines(
  cursor: Cursor,
  indent: number,
  folded: boolean,
  leading: string[],
  chomping: string,
): string {
  const parts: string[] = [];
  let breaks = leading;
  let lastBreak = '';
  const spaces = ' '.repeat(indent);
  while (cursor.column === indent && cursor.peek() !== '') {
    parts.push(breaks.join(''));
    const startsPlain = !isBlank(cursor.peek());
    // Mostly the next line follows, and its indentation is known.
    parts.push(folded ? cursor.restOfLine() : cursor.restOfLines(spaces));
    lastBreak = cursor.lineBreak();
    breaks = takeBreaks(cursor, indent);
    if (cursor.column !== indent || cursor.peek() === '') break;
    if (!folded || lastBreak !== '\n' || !startsPlain || isBlank(cursor.peek())) parts.push(lastBreak);
    else if (breaks.length === 0) parts.push(' ');
  }
  if (chomping !== '-') parts.push(lastBreak);
  if (chomping === '+') parts.push(breaks.join(''));
  return parts.join('');
}

function isBlank(character: string): boolean {
  return character === ' ' || character === '\t';
}

function takeHeader(cursor: Cursor): { chomping: string; increment: number | undefined } {
  // Mostly there is none.
  if (cursor.peek() === '\n') {
    cursor.lineBreak();
    return { chomping: '', increment: undefined };
  }
  HEADER.lastIndex = cursor.at;
  const [header = '', before = '', digit = '', after = ''] = HEADER.exec(cursor.text) ?? [];
  if (digit === '0')
    throw new YamlSyntaxError('The indentation of a block scalar is a digit from 1 to 9.', cursor.at);
  const chomping = before === '' ? after : before;
  cursor.forward(
    before !== '' && digit === ''
      ? before.length
      : before === ''
        ? header.length
        : header.length - after.length,
  );
  const next = cursor.peek();
  const separated = cursor.separates(next);
  const comment =
    separated || isBreakOrEnd(next) ? cursor.take(cursor.tabs ? BLANKS_AND_COMMENT : COMMENT) : '';
  if (!isBreakOrEnd(cursor.peek()) || (comment !== '' && !separated)) {
    throw new YamlSyntaxError(
      'Only + or -, a digit and a comment may follow | or >; the text begins on the next line.',
      cursor.at,
    );
  }
  cursor.lineBreak();
  return { chomping, increment: digit === '' ? undefined : Number(digit) };
}

/** Takes empty lines before the text. `deepest` is the largest indentation among them and the first line. */
function takeIndentation(cursor: Cursor): { breaks: string[]; deepest: number } {
  const breaks: string[] = [];
  let deepest = 0;
  for (;;) {
    cursor.skipSpaces();
    deepest = Math.max(deepest, cursor.column);
    if (!isBreak(cursor.peek())) return { breaks, deepest };
    breaks.push(cursor.lineBreak());
  }
}

/** Takes empty lines, and the next line's indentation as far as it belongs to the text. */
function takeBreaks(cursor: Cursor, indent: number): string[] {
  const breaks: string[] = [];
  for (;;) {
    while (cursor.column < indent && cursor.peek() === ' ') cursor.forward();
    if (!isBreak(cursor.peek())) return breaks;
    breaks.push(cursor.lineBreak());
  }
}
