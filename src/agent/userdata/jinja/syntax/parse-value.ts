import type { Args, Expr } from './ast.ts';
import { TemplateError } from './template-error.ts';
import type { TokenStream } from './token-stream.ts';

/** Parses a whole expression, as in brackets. */
export type Inner = (stream: TokenStream) => Expr;

const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
]);

/** Parses literals, names and brackets, and what follows them: members, items, slices, method calls. */
export class ValueParser {
  readonly #stream: TokenStream;
  readonly #inner: Inner;

  constructor(stream: TokenStream, inner: Inner) {
    this.#stream = stream;
    this.#inner = inner;
  }

  value(): Expr {
    return this.#postfix(this.#primary());
  }

  /** A name, a literal, or an expression in brackets. */
  #primary(): Expr {
    const stream = this.#stream;
    const at = stream.offset;
    const token = stream.current;
    if (token?.kind === 'name') return this.#constantOrName(at);
    if (token?.kind === 'string') return { type: 'const', value: this.#strings(), at };
    if (token?.kind === 'integer') return { type: 'const', value: parseInteger(this.#text()), at };
    if (token?.kind === 'float')
      return { type: 'const', value: Number(this.#text().replaceAll('_', '')), at };
    if (stream.skip('operator', '(')) return this.#parenthesis(at);
    if (stream.skip('operator', '['))
      return { type: 'list', items: this.#items(']', () => this.#inner(stream)), at };
    if (stream.skip('operator', '{'))
      return { type: 'dict', entries: this.#items('}', () => this.#entry()), at };
    return stream.fail('Expected an expression');
  }

  #text(): string {
    return this.#stream.next()?.text ?? '';
  }

  #constantOrName(at: number): Expr {
    const name = this.#stream.name();
    const value = CONSTANTS.get(name);
    if (value !== undefined) return { type: 'const', value, at };
    return this.#stream.is('operator', '(')
      ? { type: 'call', name, args: this.args(), at }
      : { type: 'name', name, at };
  }

  #strings(): string {
    let text = '';
    while (this.#stream.is('string')) text += parseString(this.#text());
    return text;
  }

  #parenthesis(at: number): Expr {
    const items: Expr[] = [];
    let comma = false;
    while (!this.#stream.skip('operator', ')')) {
      if (items.length > 0) {
        this.#stream.expect('operator', ',');
        comma = true;
        if (this.#stream.skip('operator', ')')) break;
      }
      items.push(this.#inner(this.#stream));
    }
    const [only] = items;
    return only === undefined || comma ? { type: 'tuple', items, at } : only;
  }

  #items<T>(end: string, parse: () => T): T[] {
    const items: T[] = [];
    while (!this.#stream.skip('operator', end)) {
      if (items.length > 0) this.#stream.expect('operator', ',');
      if (this.#stream.skip('operator', end)) break;
      items.push(parse());
    }
    return items;
  }

  #entry(): [Expr, Expr] {
    const key = this.#inner(this.#stream);
    this.#stream.expect('operator', ':');
    return [key, this.#inner(this.#stream)];
  }

  /** What follows a value: `.name`, `.name(arguments)`, `[key]` and `[start:stop:step]`. */
  #postfix(start: Expr): Expr {
    const stream = this.#stream;
    let value = start;
    const link = stream.chain();
    for (;;) {
      link();
      const at = stream.offset;
      if (stream.skip('operator', '.')) value = this.#member(value, at);
      else if (stream.skip('operator', '[')) value = this.#subscript(value, at);
      else if (stream.is('operator', '('))
        throw new TemplateError('Slipway supports only calls to methods and range, by name.', at);
      else return value;
    }
  }

  #member(object: Expr, at: number): Expr {
    if (this.#stream.is('integer')) {
      const value = parseInteger(this.#text());
      return { type: 'item', object, key: { type: 'const', value, at }, at };
    }
    const name = this.#stream.name();
    return this.#stream.is('operator', '(')
      ? { type: 'method', object, name, args: this.args(), at }
      : { type: 'attribute', object, name, at };
  }

  #subscript(object: Expr, at: number): Expr {
    const part = (): Expr | undefined =>
      this.#stream.is('operator', ':') || this.#stream.is('operator', ']')
        ? undefined
        : this.#inner(this.#stream);
    const start = part();
    if (!this.#stream.skip('operator', ':')) {
      const key = start ?? this.#stream.fail('Expected an expression');
      this.#stream.expect('operator', ']');
      return { type: 'item', object, key, at };
    }
    const stop = part();
    const step = this.#stream.skip('operator', ':') ? part() : undefined;
    this.#stream.expect('operator', ']');
    return { type: 'slice', object, start, stop, step, at };
  }

  /** The arguments in `(a, b=c)`. */
  args(): Args {
    const stream = this.#stream;
    stream.expect('operator', '(');
    const args: Args = { positional: [], named: [] };
    this.#items(')', () => {
      if (stream.is('operator', '*') || stream.is('operator', '**'))
        throw new TemplateError(
          'Slipway does not support * and ** before arguments; write them out.',
          stream.offset,
        );
      if (stream.is('name') && stream.isNext('operator', '=')) {
        const name = stream.name();
        stream.next();
        args.named.push({ name, value: this.#inner(stream) });
      } else {
        if (args.named.length > 0) stream.fail('Positional arguments must come first; there is one');
        args.positional.push(this.#inner(stream));
      }
    });
    return args;
  }
}

/** Reads `0x10`, `0o17`, `0b11`, `1_000`, by Python's rules. */
function parseInteger(text: string): bigint {
  return BigInt(text.replaceAll('_', '').toLowerCase());
}

const SIMPLE: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** Reads a quoted string. An escape that Python does not know keeps its backslash. */
function parseString(quoted: string): string {
  return quoted
    .slice(1, -1)
    .replace(
      /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|([\s\S]))/g,
      (whole: string, x?: string, u?: string, long?: string, octal?: string, other?: string) => {
        if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
        const hex = x ?? u ?? long;
        if (hex === undefined) return SIMPLE[other ?? ''] ?? whole;
        const code = Number.parseInt(hex, 16);
        return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
      },
    );
}
