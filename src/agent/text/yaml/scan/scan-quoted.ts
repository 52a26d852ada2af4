import { type Cursor, isBreak } from './cursor.ts';
import { YamlSyntaxError } from './syntax-error.ts';
import type { Token } from './tokens.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  '"': '"',
  '\\': '\\',
  '/': '/',
  N: '\u0085',
  _: '\u00a0',
  L: '\u2028',
  P: '\u2029',
};

const CODE_LENGTHS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
const ORDINARY = /[^'"\\ \t\n\u2028\u2029]+/y;
const BLANKS = /[ \t]+/y;

/** A string in single or double quotes, over one or more lines. */
export function scanQuoted(cursor: Cursor): Token {
  const start = cursor.at;
  const quote = cursor.peek();
  cursor.forward();
  // Mostly it stands on one line as it is meant.
  const text = cursor.restUpTo(quote);
  if (text !== undefined && !(quote === '"' ? text.includes('\\') : cursor.peek(1) === quote)) {
    cursor.forward();
    return { kind: 'scalar', text, plain: false, at: start, half: false };
  }
  cursor.at = start + 1;
  const parts: string[] = [];
  takeWords(cursor, quote, parts);
  while (cursor.peek() !== quote) {
    takeSpace(cursor, start, parts);
    takeWords(cursor, quote, parts);
  }
  cursor.forward();
  // What is not escaped has whole characters only.
  const half = parts.some((part) => part.length === 1 && part >= '\ud800' && part <= '\udfff');
  return { kind: 'scalar', text: parts.join(''), plain: false, at: start, half };
}

/** Takes everything up to a blank, a line break or the closing quote. */
function takeWords(cursor: Cursor, quote: string, parts: string[]): void {
  for (;;) {
    const run = cursor.take(ORDINARY);
    if (run !== '') parts.push(run);
    const character = cursor.peek();
    if (quote === "'" && character === "'" && cursor.peek(1) === "'") {
      parts.push("'");
      cursor.forward(2);
    } else if (
      character !== '' &&
      character !== quote &&
      (character === "'" || character === '"' || (quote === "'" && character === '\\'))
    ) {
      parts.push(character);
      cursor.forward();
    } else if (quote === '"' && character === '\\') {
      if (!takeEscape(cursor, parts)) return;
    } else {
      return;
    }
  }
}

/** Takes a backslash and what follows it. Always returns true, also for a line break. */
function takeEscape(cursor: Cursor, parts: string[]): boolean {
  const at = cursor.at;
  cursor.forward();
  const character = cursor.peek();
  const simple = Object.hasOwn(ESCAPES, character) ? ESCAPES[character] : undefined;
  const length = Object.hasOwn(CODE_LENGTHS, character) ? CODE_LENGTHS[character] : undefined;
  if (simple !== undefined) {
    parts.push(simple);
    cursor.forward();
  } else if (length !== undefined) {
    parts.push(codePoint(cursor, length, at));
  } else if (isBreak(character)) {
    cursor.lineBreak();
    takeEmptyLines(cursor, parts);
  } else {
    throw new YamlSyntaxError(
      'This backslash does not begin a known escape in double quotes; use single quotes, or double the backslash.',
      at,
    );
  }
  return true;
}

function codePoint(cursor: Cursor, length: number, at: number): string {
  cursor.forward();
  const digits = cursor.text.slice(cursor.at, cursor.at + length);
  const code =
    /^[0-9A-Fa-f]+$/.test(digits) && digits.length === length ? Number.parseInt(digits, 16) : Number.NaN;
  if (!(code <= 0x10ffff))
    throw new YamlSyntaxError(`The escape needs ${length} hexadecimal digits of a character.`, at);
  cursor.forward(length);
  return String.fromCodePoint(code);
}

/** Takes blanks and keeps them, or takes a line break with its blanks and folds it to one space. */
function takeSpace(cursor: Cursor, start: number, parts: string[]): void {
  const blanks = cursor.take(BLANKS);
  if (cursor.peek() === '') throw new YamlSyntaxError('The quote that begins here is not closed.', start);
  const broken = cursor.lineBreak();
  if (broken === '') {
    parts.push(blanks);
    return;
  }
  const empty: string[] = [];
  takeEmptyLines(cursor, empty, start);
  if (broken !== '\n') parts.push(broken);
  else if (empty.length === 0) parts.push(' ');
  parts.push(empty.join(''));
}

function takeEmptyLines(cursor: Cursor, parts: string[], start = cursor.at): void {
  for (;;) {
    if (cursor.column === 0 && cursor.atDocumentMark()) {
      throw new YamlSyntaxError(
        'The quote that begins here is not closed before the end of the document.',
        start,
      );
    }
    cursor.take(BLANKS);
    const broken = cursor.lineBreak();
    if (broken === '') return;
    parts.push(broken);
  }
}
