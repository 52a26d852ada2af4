import { MAX_JINJA_TAG, MAX_JINJA_TOKENS } from '../../../text/limits.ts';
import { TemplateError } from './template-error.ts';

/** The tokens of a template: text, and tags with their words. `begin` and `end` are `{{ }}` or `{% %}`. */
export type Token =
  | { kind: 'data'; text: string; offset: number }
  | { kind: 'begin' | 'end'; text: 'variable' | 'block'; offset: number }
  | { kind: 'name' | 'operator' | 'string' | 'integer' | 'float'; text: string; offset: number };

const PLAIN_NAME = /[A-Za-z_]\w*/y;
const FLOAT = /(?:\d+_)*\d+(?:(?:\.(?:\d+_)*\d+)?[eE][+-]?(?:\d+_)*\d+|\.(?:\d+_)*\d+)/y;
const INTEGER = /0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0[xX](?:_?[0-9a-fA-F])+|[1-9](?:_?\d)*|0(?:_?0)*/y;
const STRING = /'[^'\\]*(?:\\[\s\S][^'\\]*)*'|"[^"\\]*(?:\\[\s\S][^"\\]*)*"/y;
const OPERATOR = /\/\/|\*\*|==|!=|>=|<=|[-+/*%~[\](){}><=.:|,;]/y;
const SPACE = /\s+/y;
const OPENING = /\{\{|\{%|\{#/g;
const RAW_BEGIN = /\{%[-+]?\s*raw\s*(?:-%\}\s*|%\})/y;
const RAW_END = /\{%([-+]?)\s*endraw\s*(?:\+%\}|-%\}\s*|%\}\n?)/g;
const COMMENT_END = /-#\}\s*|\+#\}|#\}\n?/g;
const BLOCK_END = /-%\}\s*|\+%\}|%\}\n?/y;
const VARIABLE_END = /-\}\}\s*|\}\}/y;

/**
 * Splits a template into tokens by Jinja2's rules, set up like cloud-init's: `trim_blocks` is on (it drops
 * the line break after a block tag or comment) and `lstrip_blocks` is off.
 *
 * @throws TemplateError
 */
export function tokenize(source: string): Token[] {
  return new Lexer(source).run();
}

class Lexer {
  readonly #source: string;
  readonly #tokens: Token[] = [];
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  run(): Token[] {
    while (this.#at < this.#source.length) {
      this.#step();
      if (this.#tokens.length > MAX_JINJA_TOKENS)
        throw new TemplateError('The template has more tags than Slipway accepts.', this.#at);
    }
    return this.#tokens;
  }

  #step(): void {
    OPENING.lastIndex = this.#at;
    const opening = OPENING.exec(this.#source);
    if (opening === null) {
      this.#data(this.#at, this.#source.length, false);
      this.#at = this.#source.length;
      return;
    }
    const start = opening.index;
    const sign = this.#source[start + 2];
    this.#data(this.#at, start, sign === '-');
    if (opening[0] === '{#') this.#comment(start);
    else if (opening[0] === '{{') this.#tag('variable', start, sign);
    else if (!this.#raw(start)) this.#tag('block', start, sign);
  }

  #data(from: number, to: number, trimEnd: boolean): void {
    const text = this.#source.slice(from, to);
    const kept = trimEnd ? text.trimEnd() : text;
    if (kept !== '') this.#tokens.push({ kind: 'data', text: kept, offset: from });
  }

  #comment(start: number): void {
    COMMENT_END.lastIndex = start + 2;
    const end = COMMENT_END.exec(this.#source);
    if (end === null)
      throw new TemplateError('The comment {# has no end #}; a # after { begins a jinja comment.', start);
    this.#at = COMMENT_END.lastIndex;
  }

  #raw(start: number): boolean {
    const begin = this.#match(RAW_BEGIN, start);
    if (begin === undefined) return false;
    const from = start + begin.length;
    RAW_END.lastIndex = from;
    const end = RAW_END.exec(this.#source);
    if (end === null) throw new TemplateError('The block {% raw %} has no {% endraw %}.', start);
    this.#data(from, end.index, end[1] === '-');
    this.#at = RAW_END.lastIndex;
    return true;
  }

  #tag(text: 'variable' | 'block', start: number, sign: string | undefined): void {
    this.#tokens.push({ kind: 'begin', text, offset: start });
    this.#at = start + (sign === '-' || (sign === '+' && text === 'block') ? 3 : 2);
    const brackets: string[] = [];
    const end = text === 'block' ? BLOCK_END : VARIABLE_END;
    while (this.#at < this.#source.length) {
      const closing = brackets.length === 0 ? this.#match(end, this.#at) : undefined;
      if (closing !== undefined) {
        this.#tokens.push({ kind: 'end', text, offset: this.#at });
        this.#at += closing.length;
        return;
      }
      this.#word(brackets);
      if (this.#at - start > MAX_JINJA_TAG)
        throw new TemplateError('The tag is not closed, or longer than Slipway accepts.', start);
    }
    throw new TemplateError(`The tag ${text === 'block' ? '{%' : '{{'} is not closed.`, start);
  }

  #word(brackets: string[]): void {
    const offset = this.#at;
    const space = this.#match(SPACE, offset);
    if (space !== undefined) {
      this.#at += space.length;
      return;
    }
    const found = this.#scan(offset);
    if (found === undefined) {
      const quote = /['"]/.test(this.#source[offset] ?? '');
      throw new TemplateError(
        quote ? 'The quote is not closed.' : 'Jinja does not allow this character inside a tag.',
        offset,
      );
    }
    this.#tokens.push(found);
    this.#at += found.text.length;
    if (found.kind === 'operator') balance(found.text, brackets, offset);
  }

  #scan(offset: number): Token | undefined {
    // Looks no further than a tag may reach, so that no pattern runs over megabytes.
    const rest = this.#source.slice(offset, offset + MAX_JINJA_TAG);
    const kinds = [
      ['float', FLOAT],
      ['integer', INTEGER],
      ['string', STRING],
      ['operator', OPERATOR],
    ] as const;
    const name = nameIn(rest);
    if (name !== undefined) return { kind: 'name', text: name, offset };
    for (const [kind, pattern] of kinds) {
      pattern.lastIndex = 0;
      const text = pattern.exec(rest)?.[0];
      if (text !== undefined) return { kind, text, offset };
    }
    return undefined;
  }

  #match(pattern: RegExp, at: number): string | undefined {
    pattern.lastIndex = at;
    return pattern.exec(this.#source)?.[0];
  }
}

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

function balance(text: string, brackets: string[], offset: number): void {
  const closing = CLOSING[text];
  if (closing !== undefined) brackets.push(closing);
  else if (')]}'.includes(text) && brackets.pop() !== text) {
    throw new TemplateError(`The bracket ${text} does not match an open bracket.`, offset);
  }
}

/** V8 takes 1.2 ms for the letters of all languages, which hardly any template has in its names. */
function nameIn(rest: string): string | undefined {
  PLAIN_NAME.lastIndex = 0;
  const plain = PLAIN_NAME.exec(rest)?.[0];
  if (!(rest.charCodeAt(plain?.length ?? 0) > 0x7f)) return plain;
  return /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}_]*/u.exec(rest)?.[0];
}
