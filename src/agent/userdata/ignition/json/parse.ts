import { ExpectedError } from '../../../../kit/errors.ts';

/** The text is not JSON; `offset` is where that shows. */
export class JsonError extends ExpectedError {
  override readonly name = 'JsonError';
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** Depth of nested lists and objects; an Ignition config has some ten. */
const MAX_DEPTH = 100;
const MAX_NODES = 400_000;

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORD = /true|false|null/y;

/**
 * Reads JSON as Go's encoding/json does: one value and nothing behind it, no comments, no trailing commas,
 * duplicate keys allowed.
 *
 * @throws JsonError
 */
export function parseJson(text: string): JsonNode {
  const reader = new Reader(text);
  const value = reader.value(0);
  reader.space();
  if (reader.at < text.length) throw new JsonError('there is text after the end of the JSON', reader.at);
  return value;
}

class Reader {
  at = 0;
  readonly #text: string;
  #nodes = 0;

  constructor(text: string) {
    this.#text = text;
  }

  space(): void {
    this.#match(SPACE);
  }

  value(depth: number): JsonNode {
    this.space();
    this.#nodes += 1;
    if (this.#nodes > MAX_NODES) throw new JsonError(`it has more than ${MAX_NODES} values`, this.at);
    if (depth > MAX_DEPTH) throw new JsonError(`it is nested more than ${MAX_DEPTH} levels deep`, this.at);
    const start = this.at;
    const first = this.#text[start];
    if (first === '{') return this.#object(depth);
    if (first === '[') return this.#array(depth);
    if (first === '"') return { kind: 'string', value: this.#string(), start, end: this.at };
    const word = this.#match(WORD);
    if (word !== '') return { ...literal(word), start, end: this.at };
    const number = this.#match(NUMBER);
    if (number !== '') return { kind: 'number', text: number, start, end: this.at };
    throw this.#unexpected('a value');
  }

  #object(depth: number): JsonObject {
    const start = this.at;
    const members: JsonMember[] = [];
    this.#list('}', 'a quoted key', () => {
      if (this.#text[this.at] !== '"') throw this.#unexpected('a quoted key');
      const keyStart = this.at;
      const key = this.#string();
      this.space();
      this.#take(':');
      members.push({ key, keyStart, value: this.value(depth + 1) });
    });
    return { kind: 'object', members, start, end: this.at };
  }

  #array(depth: number): JsonArray {
    const start = this.at;
    const items: JsonNode[] = [];
    this.#list(']', 'a value', () => items.push(this.value(depth + 1)));
    return { kind: 'array', items, start, end: this.at };
  }

  #list(close: string, what: string, item: () => void): void {
    this.at += 1;
    this.space();
    if (this.#text[this.at] === close) {
      this.at += 1;
      return;
    }
    for (;;) {
      this.space();
      item();
      this.space();
      const next = this.#text[this.at];
      if (next !== ',' && next !== close) throw this.#unexpected(`"," or "${close}"`);
      this.at += 1;
      if (next === close) return;
      this.space();
      if (this.#text[this.at] === close) throw this.#unexpected(`${what} after the comma`);
    }
  }

  #string(): string {
    const { value, end, problem } = readString(this.#text, this.at);
    if (problem !== undefined) throw new JsonError(problem, end);
    this.at = end;
    return value;
  }

  #take(character: string): void {
    if (this.#text[this.at] !== character) throw this.#unexpected(`"${character}"`);
    this.at += 1;
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.at += found.length;
    return found;
  }

  #unexpected(wanted: string): JsonError {
    if (this.at >= this.#text.length) return new JsonError(`it ends where ${wanted} is expected`, this.at);
    return new JsonError(`${wanted} is expected here`, this.at);
  }
}

function literal(word: string): { kind: 'null' } | { kind: 'boolean'; value: boolean } {
  return word === 'null' ? { kind: 'null' } : { kind: 'boolean', value: word === 'true' };
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** Control characters must be escaped. */
const PLAIN = /[ !#-[\]-\u{10ffff}]*/uy;
const HEX = /[0-9a-fA-F]{4}/y;

/**
 * Reads the JSON string whose quotation mark stands at `start`. Halves of a surrogate pair that stand alone
 * become U+FFFD, as in Go.
 *
 * @returns the value and the offset behind it, or a problem and its offset
 */
function readString(text: string, start: number): { value: string; end: number; problem?: string } {
  let value = '';
  let at = start + 1;
  for (;;) {
    const plain = match(PLAIN, text, at);
    value += plain;
    at += plain.length;
    const next = text[at];
    if (next === '"') return { value: value.toWellFormed(), end: at + 1 };
    if (next === undefined) return { value, end: start, problem: 'this string is not closed' };
    if (next !== '\\') return { value, end: at, problem: 'a string contains an unescaped control character' };
    const letter = text[at + 1] ?? '';
    if (letter === 'u') {
      const hex = match(HEX, text, at + 2);
      if (hex === '') return { value, end: at, problem: '\\u must be followed by four hexadecimal digits' };
      value += String.fromCharCode(Number.parseInt(hex, 16));
      at += 6;
    } else {
      const escaped = ESCAPES[letter];
      if (escaped === undefined) return { value, end: at, problem: 'this escape is not valid JSON' };
      value += escaped;
      at += 2;
    }
  }
}

function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

/** A JSON value with the offsets of its first character and of what follows it. */
export type JsonNode = JsonScalar | JsonArray | JsonObject;

interface Span {
  start: number;
  end: number;
}

type JsonScalar = Span &
  (
    | { kind: 'null' }
    | { kind: 'boolean'; value: boolean }
    /** As it was written. */
    | { kind: 'number'; text: string }
    | { kind: 'string'; value: string }
  );

interface JsonArray extends Span {
  kind: 'array';
  items: JsonNode[];
}

interface JsonObject extends Span {
  kind: 'object';
  /** In the order of the text, duplicates included. */
  members: JsonMember[];
}

interface JsonMember {
  key: string;
  /** Offset of the key's quotation mark. */
  keyStart: number;
  value: JsonNode;
}

/** The kind of a value, in words for people. */
export function describeJson({ kind }: JsonNode): string {
  const names: Record<JsonNode['kind'], string> = {
    null: 'null',
    boolean: 'a boolean',
    number: 'a number',
    string: 'a string',
    array: 'a list',
    object: 'an object',
  };
  return names[kind];
}
