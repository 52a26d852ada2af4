import { type Cursor, isBlankOrEnd, isBreakOrEnd } from './cursor.ts';
import { YamlSyntaxError } from './syntax-error.ts';
import type { Token } from './tokens.ts';

const NAME = /[0-9A-Za-z_-]+/y;
const URI = /[0-9A-Za-z\-;/?:@&=+$,_.!~*'()[\]%]+/y;
const SPACES = / +/y;
const REST = /[^\n\u2028\u2029]+/y;
const NUMBER = /[0-9]+/y;

/** `&name` or `*name`. */
export function scanAnchor(cursor: Cursor): Token {
  const at = cursor.at;
  const kind = cursor.peek() === '*' ? 'alias' : 'anchor';
  cursor.forward();
  const name = cursor.take(NAME);
  const next = cursor.peek();
  if (name === '' || !(isBlankOrEnd(next) || '?:,]}%@`'.includes(next))) {
    const sign = kind === 'alias' ? '*' : '&';
    throw new YamlSyntaxError(
      `A name of letters, digits, - and _ must follow ${sign}; a value that begins with ${sign} must be quoted.`,
      at,
    );
  }
  return { kind, name, at };
}

/** `!name`, `!!name`, `!handle!name`, `!<uri>` or `!` alone. */
export function scanTag(cursor: Cursor): Token {
  const at = cursor.at;
  const next = cursor.peek(1);
  let handle: string | undefined;
  let suffix = '!';
  if (next === '<') {
    cursor.forward(2);
    suffix = takeUri(cursor, at);
    if (cursor.peek() !== '>') throw new YamlSyntaxError('The tag is not closed with >.', at);
    cursor.forward();
  } else if (isBlankOrEnd(next)) {
    cursor.forward();
  } else {
    handle = /^![^\s!]*!/.test(cursor.text.slice(at, at + 256)) ? takeHandle(cursor, at) : '!';
    if (handle === '!' && cursor.at === at) cursor.forward();
    suffix = takeUri(cursor, at);
  }
  if (cursor.peek() !== ' ' && !isBreakOrEnd(cursor.peek())) {
    throw new YamlSyntaxError('A space must follow the tag; a value that begins with ! must be quoted.', at);
  }
  return { kind: 'tag', handle, suffix, at };
}

function takeHandle(cursor: Cursor, at: number): string {
  cursor.forward();
  const name = cursor.take(NAME);
  if (cursor.peek() !== '!')
    throw new YamlSyntaxError('The tag is not well formed; a value that begins with ! must be quoted.', at);
  cursor.forward();
  return `!${name}!`;
}

function takeUri(cursor: Cursor, at: number): string {
  const uri = cursor.take(URI);
  if (uri === '')
    throw new YamlSyntaxError('The tag has no name; a value that begins with ! must be quoted.', at);
  try {
    return decodeURIComponent(uri);
  } catch (error) {
    if (error instanceof URIError)
      throw new YamlSyntaxError('The tag has a % without two hexadecimal digits after it.', at);
    throw error;
  }
}

/** `%YAML 1.1`, `%TAG ! prefix`, or another directive, which has no effect. */
export function scanDirective(cursor: Cursor): Token {
  const at = cursor.at;
  cursor.forward();
  const name = cursor.take(NAME);
  if (name === '' || !(cursor.peek() === ' ' || isBreakOrEnd(cursor.peek()))) throw malformed(at);
  const value =
    name === 'YAML' ? takeVersion(cursor, at) : name === 'TAG' ? takeTagDirective(cursor, at) : [];
  if (name !== 'YAML' && name !== 'TAG') cursor.take(REST);
  cursor.take(SPACES);
  if (cursor.peek() === '#') cursor.take(REST);
  if (!isBreakOrEnd(cursor.peek())) throw malformed(at);
  cursor.lineBreak();
  return { kind: 'directive', name, value, at };
}

function malformed(at: number): YamlSyntaxError {
  return new YamlSyntaxError(
    'A % at the start of a line begins a directive, and this is not one; a value that begins with % must be quoted.',
    at,
  );
}

function takeVersion(cursor: Cursor, at: number): string[] {
  cursor.take(SPACES);
  const major = cursor.take(NUMBER);
  if (major === '' || cursor.peek() !== '.') throw malformed(at);
  cursor.forward();
  const minor = cursor.take(NUMBER);
  if (minor === '' || !(cursor.peek() === ' ' || isBreakOrEnd(cursor.peek()))) throw malformed(at);
  return [major, minor];
}

function takeTagDirective(cursor: Cursor, at: number): string[] {
  cursor.take(SPACES);
  if (cursor.peek() !== '!') throw malformed(at);
  const handle = cursor.peek(1) === ' ' ? '!' : takeHandle(cursor, at);
  if (handle === '!') cursor.forward();
  if (cursor.peek() !== ' ') throw malformed(at);
  cursor.take(SPACES);
  const prefix = takeUri(cursor, at);
  if (cursor.peek() !== ' ' && !isBreakOrEnd(cursor.peek())) throw malformed(at);
  return [handle, prefix];
}
