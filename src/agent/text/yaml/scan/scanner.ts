import { MAX_YAML_DEPTH, MAX_YAML_TOKENS } from '../../limits.ts';
import { Cursor, isBlankOrEnd } from './cursor.ts';
import { scanBlockScalar } from './scan-block-scalar.ts';
import { beginsPlain, scanPlain } from './scan-plain.ts';
import { scanAnchor, scanDirective, scanTag } from './scan-properties.ts';
import { scanQuoted } from './scan-quoted.ts';
import { YamlSyntaxError, YamlTooLarge } from './syntax-error.ts';
import type { Structure, Token } from './tokens.ts';

/** A token that may turn out to be a key if a colon follows, because nothing marks a key's beginning. */
interface PossibleKey {
  /** Index of the token in front of which the key's token would go. */
  index: number;
  /** Only a key can stand here. */
  required: boolean;
  at: number;
  line: number;
  column: number;
}

/** What most lines begin with: a word and its colon. */
const KEY = /[A-Za-z][\w.-]{0,99}(?=:(?:[ \n]|$))/y;
const COMMENT = /#[^\n\u2028\u2029]*/y;

/** Characters that begin the same kind of token everywhere. */
const FIXED = '[]{},*&!\'"';

/** A key fits into this many characters and one line (YAML 1.1, 7.4). */
const MAX_KEY = 1024;

/**
 * Splits a text into tokens by YAML 1.1 as PyYAML reads it. The list ends with an `end` token, or with a
 * `broken` token that carries the error. The tokens before it are valid, so the parser reports whichever
 * error comes first.
 *
 * @param options With `tabs`, these may separate values, as for libyaml.
 */
export function scan(text: string, { tabs = false } = {}): Token[] {
  const scanner = new Scanner(text, tabs);
  try {
    scanner.run();
  } catch (error) {
    if (!(error instanceof YamlSyntaxError)) throw error;
    scanner.tokens.push({ kind: 'broken', error, at: error.offset });
  }
  return scanner.tokens;
}

class Scanner {
  readonly tokens: Token[] = [];
  readonly #cursor: Cursor;
  /** Indentations of the open block collections; the last is the innermost. */
  readonly #indents: number[] = [];
  #indent = -1;
  #flow = 0;
  /** A key may begin here: at the start of a line, after `- `, `? ` and the like. */
  #keyAllowed = true;
  readonly #possibleKeys: (PossibleKey | undefined)[] = [];

  constructor(text: string, tabs: boolean) {
    this.#cursor = new Cursor(text, tabs);
  }

  run(): void {
    while (this.tokens.at(-1)?.kind !== 'end') {
      this.#toNextToken();
      this.#dropStaleKeys();
      this.#unwind(this.#cursor.column);
      this.#next();
      if (this.tokens.length > MAX_YAML_TOKENS) {
        throw new YamlTooLarge(
          `The YAML has more values than Slipway accepts (${MAX_YAML_TOKENS} tokens).`,
          this.#cursor.at,
        );
      }
    }
  }

  #toNextToken(): void {
    for (;;) {
      // A tab must not indent a key.
      if (this.#flow > 0 || !this.#keyAllowed) this.#cursor.skipBlanks();
      else this.#cursor.skipSpaces();
      if (this.#cursor.peek() === '#') this.#cursor.take(COMMENT);
      if (this.#cursor.lineBreak() === '') return;
      if (this.#flow === 0) this.#keyAllowed = true;
    }
  }

  #next(): void {
    const cursor = this.#cursor;
    const character = cursor.peek();
    const lineStart = cursor.column === 0;
    // Most tokens, and none of the signs below.
    if (isLetter(character)) this.#plain();
    else if (character === '') this.#end();
    else if (lineStart && character === '%') this.#directive();
    else if (lineStart && cursor.atDocumentMark()) this.#documentMark(character);
    else if (FIXED.includes(character)) this.#fixed(character);
    else if (character === '-' && isBlankOrEnd(cursor.peek(1))) this.#blockEntry();
    else if (character === '?' && (this.#flow > 0 || isBlankOrEnd(cursor.peek(1)))) this.#explicitKey();
    else if (character === ':' && (this.#flow > 0 || isBlankOrEnd(cursor.peek(1)))) this.#value();
    else if ((character === '|' || character === '>') && this.#flow === 0) this.#blockScalar();
    else if (beginsPlain(cursor, this.#flow > 0)) this.#plain();
    else throw new YamlSyntaxError(wrongStart(character), cursor.at);
  }

  /** Handles characters that begin the same token everywhere. */
  #fixed(character: string): void {
    if (character === '[') this.#open('flow-sequence-start');
    else if (character === '{') this.#open('flow-mapping-start');
    else if (character === ']') this.#close('flow-sequence-end');
    else if (character === '}') this.#close('flow-mapping-end');
    else if (character === ',') this.#comma();
    else if (character === '!') this.#property(scanTag);
    else this.#property(character === '*' || character === '&' ? scanAnchor : scanQuoted);
  }

  #comma(): void {
    this.#keyAllowed = true;
    this.#dropKey();
    this.#structure('flow-entry', 1);
  }

  #structure(kind: Structure, length: number): void {
    this.tokens.push({ kind, at: this.#cursor.at });
    this.#cursor.forward(length);
  }

  #end(): void {
    this.#closeBlocks();
    this.#structure('end', 0);
  }

  #directive(): void {
    this.#closeBlocks();
    this.tokens.push(scanDirective(this.#cursor));
  }

  #documentMark(character: string): void {
    this.#closeBlocks();
    this.#structure(character === '-' ? 'document-start' : 'document-end', 3);
  }

  #closeBlocks(): void {
    this.#unwind(-1);
    this.#dropKey();
    this.#keyAllowed = false;
  }

  #open(kind: Structure): void {
    this.#saveKey();
    this.#flow += 1;
    if (this.#flow > MAX_YAML_DEPTH) throw tooDeep(this.#cursor.at);
    this.#keyAllowed = true;
    this.#structure(kind, 1);
  }

  #close(kind: Structure): void {
    this.#dropKey();
    if (this.#flow === 0) {
      throw new YamlSyntaxError(
        'The bracket does not match an open bracket; a value that begins with it must be quoted.',
        this.#cursor.at,
      );
    }
    this.#flow -= 1;
    this.#keyAllowed = false;
    this.#structure(kind, 1);
  }

  #blockEntry(): void {
    if (this.#flow === 0) {
      if (!this.#keyAllowed)
        throw new YamlSyntaxError(
          'A list item "- " cannot begin here; put it on a line of its own, or quote the value.',
          this.#cursor.at,
        );
      if (this.#enter(this.#cursor.column)) this.#structure('block-sequence-start', 0);
    }
    this.#keyAllowed = true;
    this.#dropKey();
    this.#structure('block-entry', 1);
  }

  #explicitKey(): void {
    if (this.#flow === 0) {
      if (!this.#keyAllowed)
        throw new YamlSyntaxError('A "? " is not allowed here; quote the value.', this.#cursor.at);
      if (this.#enter(this.#cursor.column)) this.#structure('block-mapping-start', 0);
    }
    this.#keyAllowed = this.#flow === 0;
    this.#dropKey();
    this.#structure('key', 1);
  }

  #value(): void {
    const key = this.#possibleKeys[this.#flow];
    if (key !== undefined) {
      this.#possibleKeys[this.#flow] = undefined;
      const starts: Token[] = [{ kind: 'key', at: key.at }];
      if (this.#flow === 0 && this.#enter(key.column))
        starts.unshift({ kind: 'block-mapping-start', at: key.at });
      this.tokens.splice(key.index, 0, ...starts);
      this.#keyAllowed = false;
    } else {
      if (this.#flow === 0) {
        if (!this.#keyAllowed)
          throw new YamlSyntaxError(
            'A ": " is inside a value; put the whole value in quotes.',
            this.#cursor.at,
          );
        if (this.#enter(this.#cursor.column)) this.#structure('block-mapping-start', 0);
      }
      this.#keyAllowed = this.#flow === 0;
      this.#dropKey();
    }
    this.#structure('value', 1);
  }

  /** Handles tokens that can begin a key: aliases, anchors, tags and quoted strings. */
  #property(scanOne: (cursor: Cursor) => Token): void {
    this.#saveKey();
    this.#keyAllowed = false;
    this.tokens.push(scanOne(this.#cursor));
  }

  #plain(): void {
    if (this.#flow === 0 && this.#keyAllowed && this.#key()) return;
    this.#saveKey();
    const { token, endedLine } = scanPlain(this.#cursor, this.#indent, this.#flow > 0);
    this.#keyAllowed = endedLine;
    this.tokens.push(token);
  }

  /** Takes a plain word with its colon, as `#plain` and then `#value` would. */
  #key(): boolean {
    const cursor = this.#cursor;
    const { at, column } = cursor;
    const text = cursor.take(KEY);
    if (text === '') return false;
    this.#dropKey();
    if (this.#enter(column)) this.tokens.push({ kind: 'block-mapping-start', at });
    this.tokens.push({ kind: 'key', at }, { kind: 'scalar', text, plain: true, at });
    this.#keyAllowed = false;
    this.#structure('value', 1);
    return true;
  }

  #blockScalar(): void {
    this.#keyAllowed = true;
    this.#dropKey();
    this.tokens.push(scanBlockScalar(this.#cursor, this.#indent));
  }

  #saveKey(): void {
    const { at, line, column } = this.#cursor;
    const required = this.#flow === 0 && this.#indent === column;
    if (!this.#keyAllowed) return;
    this.#dropKey();
    this.#possibleKeys[this.#flow] = { index: this.tokens.length, required, at, line, column };
  }

  #dropKey(): void {
    const key = this.#possibleKeys[this.#flow];
    if (key?.required) throw noColon(key.at);
    this.#possibleKeys[this.#flow] = undefined;
  }

  #dropStaleKeys(): void {
    for (let level = 0; level <= this.#flow; level += 1) {
      const key = this.#possibleKeys[level];
      if (key === undefined || (key.line === this.#cursor.line && this.#cursor.at - key.at <= MAX_KEY))
        continue;
      if (key.required) throw noColon(key.at);
      this.#possibleKeys[level] = undefined;
    }
  }

  #unwind(column: number): void {
    if (this.#flow > 0) return;
    while (this.#indent > column) {
      this.#indent = this.#indents.pop() ?? -1;
      this.#structure('block-end', 0);
    }
  }

  /** Opens a block collection if the place is further right than the surrounding one. */
  #enter(column: number): boolean {
    if (this.#indent >= column) return false;
    this.#indents.push(this.#indent);
    this.#indent = column;
    if (this.#indents.length > MAX_YAML_DEPTH) throw tooDeep(this.#cursor.at);
    return true;
  }
}

function isLetter(character: string): boolean {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
}

function tooDeep(at: number): YamlTooLarge {
  return new YamlTooLarge(`The YAML is nested more than ${MAX_YAML_DEPTH} levels deep.`, at);
}

function noColon(at: number): YamlSyntaxError {
  return new YamlSyntaxError(
    'A key is expected here, but no ": " follows on its line; a colon, a quote or indentation is probably missing.',
    at,
  );
}

function wrongStart(character: string): string {
  if (character === '\t') return 'A tab is where YAML allows only spaces.';
  if (character === '|' || character === '>')
    return 'A block scalar cannot begin inside [ ] or { }; put the value in quotes.';
  return `A value cannot begin with ${character} unless it is in quotes.`;
}
