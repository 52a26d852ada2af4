import { MAX_JINJA_CHAIN, MAX_JINJA_DEPTH } from '../../../text/limits.ts';
import type { Token } from './lexer.ts';
import { TemplateError } from './template-error.ts';

/** Hands the tokens to the parsers one by one, and bounds how deep the parsers may recurse. */
export class TokenStream {
  readonly #tokens: readonly Token[];
  readonly #length: number;
  #index = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], length: number) {
    this.#tokens = tokens;
    this.#length = length;
  }

  get current(): Token | undefined {
    return this.#tokens[this.#index];
  }

  get offset(): number {
    return this.current?.offset ?? this.#length;
  }

  next(): Token | undefined {
    const token = this.current;
    this.#index += 1;
    return token;
  }

  is(kind: Token['kind'], text?: string): boolean {
    return this.current?.kind === kind && (text === undefined || this.current.text === text);
  }

  isNext(kind: Token['kind'], text: string): boolean {
    const token = this.#tokens[this.#index + 1];
    return token?.kind === kind && token.text === text;
  }

  skip(kind: Token['kind'], text: string): boolean {
    if (!this.is(kind, text)) return false;
    this.next();
    return true;
  }

  expect(kind: Token['kind'], text: string): void {
    if (!this.skip(kind, text)) this.fail(`Expected ${kind === 'end' ? closer(text) : text}`);
  }

  /** Reads a name. */
  name(): string {
    if (!this.is('name')) this.fail('Expected a name');
    return this.next()?.text ?? '';
  }

  fail(expectation: string): never {
    const found = this.current;
    const where = found === undefined ? 'at the end of the template' : `before ${shown(found)}`;
    throw new TemplateError(`${expectation} ${where}.`, this.offset);
  }

  /** Counts a chain's links (consecutive operators, filters, members): evaluation recurses along it. */
  chain(): () => void {
    let links = 0;
    return () => {
      links += 1;
      if (links > MAX_JINJA_CHAIN)
        throw new TemplateError('The expression is longer than Slipway accepts.', this.offset);
    };
  }

  /** Runs a parser one level deeper. */
  deeper<T>(parse: () => T): T {
    this.#depth += 1;
    if (this.#depth > MAX_JINJA_DEPTH)
      throw new TemplateError('The template is nested too deeply.', this.offset);
    const result = parse();
    this.#depth -= 1;
    return result;
  }
}

function closer(text: string): string {
  return text === 'block' ? '%}' : '}}';
}

/** A token for a message; hides the contents of strings and of text. */
function shown(token: Token): string {
  if (token.kind === 'end') return closer(token.text);
  if (token.kind === 'begin') return token.text === 'block' ? '{%' : '{{';
  if (token.kind === 'name' || token.kind === 'operator') return `"${token.text.slice(0, 40)}"`;
  return token.kind === 'data' ? 'text' : `a ${token.kind}`;
}
