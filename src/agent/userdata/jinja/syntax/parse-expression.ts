import { FILTERS } from '../filters/filters.ts';
import { TESTS } from '../filters/tests.ts';
import { unknownNameMessage } from '../values/unsupported.ts';
import type { Args, Expr } from './ast.ts';
import { type Inner, ValueParser } from './parse-value.ts';
import { TemplateError } from './template-error.ts';
import type { TokenStream } from './token-stream.ts';

const COMPARISONS = new Set(['==', '!=', '<', '<=', '>', '>=']);
const PRODUCTS = new Set(['*', '//', '%']);

/**
 * An expression with Jinja2's precedences. If `condition` is false, it leaves `a if b` alone, as in `{% for x
 * in a if b %}`.
 */
export function parseExpression(stream: TokenStream, condition = true): Expr {
  return stream.deeper(() => (condition ? parseCondition(stream) : parseOr(stream)));
}

/** An expression, or a tuple of several separated by commas. */
export function parseTuple(stream: TokenStream, condition = true): Expr {
  const at = stream.offset;
  if (stream.is('end')) stream.fail('Expected an expression');
  const first = parseExpression(stream, condition);
  if (!stream.is('operator', ',')) return first;
  const items = [first];
  while (stream.skip('operator', ',') && !stream.is('end')) items.push(parseExpression(stream, condition));
  return { type: 'tuple', items, at };
}

function parseCondition(stream: TokenStream): Expr {
  let yes = parseOr(stream);
  const link = stream.chain();
  while (stream.is('name', 'if')) {
    link();
    const at = stream.offset;
    stream.next();
    const test = parseOr(stream);
    const no = stream.skip('name', 'else') ? stream.deeper(() => parseCondition(stream)) : undefined;
    yes = { type: 'condition', test, yes, no, at };
  }
  return yes;
}

function parseOr(stream: TokenStream): Expr {
  return leftToRight(stream, parseAnd, (text, kind) => kind === 'name' && text === 'or');
}

function parseAnd(stream: TokenStream): Expr {
  return leftToRight(stream, parseNot, (text, kind) => kind === 'name' && text === 'and');
}

function parseNot(stream: TokenStream): Expr {
  const at = stream.offset;
  if (!stream.skip('name', 'not')) return parseCompare(stream);
  return { type: 'unary', operator: 'not', value: stream.deeper(() => parseNot(stream)), at };
}

function parseCompare(stream: TokenStream): Expr {
  const at = stream.offset;
  const first = parseSum(stream);
  const rest: { operator: string; value: Expr }[] = [];
  for (;;) {
    const operator = comparison(stream);
    if (operator === undefined) break;
    rest.push({ operator, value: parseSum(stream) });
  }
  return rest.length === 0 ? first : { type: 'compare', first, rest, at };
}

function comparison(stream: TokenStream): string | undefined {
  if (stream.is('operator') && COMPARISONS.has(stream.current?.text ?? '')) return stream.next()?.text;
  if (stream.skip('name', 'in')) return 'in';
  if (stream.is('name', 'not') && stream.isNext('name', 'in')) {
    stream.next();
    stream.next();
    return 'not in';
  }
  return undefined;
}

function parseSum(stream: TokenStream): Expr {
  return leftToRight(
    stream,
    parseConcat,
    (text, kind) => kind === 'operator' && (text === '+' || text === '-'),
  );
}

function parseConcat(stream: TokenStream): Expr {
  const at = stream.offset;
  const items = [parseProduct(stream)];
  while (stream.skip('operator', '~')) items.push(parseProduct(stream));
  const [only] = items;
  return items.length === 1 && only !== undefined ? only : { type: 'concat', items, at };
}

function parseProduct(stream: TokenStream): Expr {
  return leftToRight(stream, parseFactor, (text, kind) => kind === 'operator' && PRODUCTS.has(text));
}

function parseFactor(stream: TokenStream): Expr {
  const value = parseOperand(stream, parseExpression);
  if (stream.is('operator', '/')) throw leftOut(stream, 'use // for integer division');
  if (stream.is('operator', '**')) throw leftOut(stream, 'write out the number');
  return value;
}

function leftOut(stream: TokenStream, advice: string): TemplateError {
  const operator = stream.current?.text;
  return new TemplateError(`Slipway does not support the operator ${operator}; ${advice}.`, stream.offset);
}

function leftToRight(
  stream: TokenStream,
  operand: (stream: TokenStream) => Expr,
  matches: (text: string, kind: string) => boolean,
): Expr {
  let left = operand(stream);
  const link = stream.chain();
  for (
    let token = stream.current;
    token !== undefined && matches(token.text, token.kind);
    token = stream.current
  ) {
    stream.next();
    link();
    left = { type: 'binary', operator: token.text, left, right: operand(stream), at: token.offset };
  }
  return left;
}

/** An operand: a value with its sign, and the filters and tests that follow it. */
function parseOperand(stream: TokenStream, inner: Inner): Expr {
  return new OperandParser(stream, inner).operand();
}

class OperandParser {
  readonly #stream: TokenStream;
  readonly #values: ValueParser;

  constructor(stream: TokenStream, inner: Inner) {
    this.#stream = stream;
    this.#values = new ValueParser(stream, inner);
  }

  operand(): Expr {
    let value = this.#signed();
    const link = this.#stream.chain();
    for (;;) {
      link();
      const at = this.#stream.offset;
      if (this.#stream.skip('operator', '|')) value = this.#filter(value, at);
      else if (this.#stream.skip('name', 'is')) value = this.#test(value, at);
      else return value;
    }
  }

  #signed(): Expr {
    const at = this.#stream.offset;
    for (const operator of ['-', '+'] as const) {
      if (this.#stream.skip('operator', operator)) {
        return { type: 'unary', operator, value: this.#stream.deeper(() => this.#signed()), at };
      }
    }
    return this.#values.value();
  }

  /** Parses the filter after `|`. */
  #filter(value: Expr, at: number): Expr {
    const name = this.#dottedName();
    if (!Object.hasOwn(FILTERS, name)) throw new TemplateError(unknownNameMessage('filter', name), at);
    const args = this.#stream.is('operator', '(') ? this.#values.args() : { positional: [], named: [] };
    return { type: 'filter', name, value, args, at };
  }

  /** Parses the test after `is`. */
  #test(value: Expr, at: number): Expr {
    const negated = this.#stream.skip('name', 'not');
    const name = this.#dottedName();
    if (!Object.hasOwn(TESTS, name)) throw new TemplateError(unknownNameMessage('test', name), at);
    const test: Expr = { type: 'test', name, value, args: this.#testArgs(), at };
    return negated ? { type: 'unary', operator: 'not', value: test, at } : test;
  }

  /** A test may have one argument without brackets, as in `x is in list`. */
  #testArgs(): Args {
    const stream = this.#stream;
    if (stream.is('operator', '(')) return this.#values.args();
    if (stream.is('name', 'is')) stream.fail('Tests with "is" cannot be chained; there is one');
    const { kind = 'end', text = '' } = stream.current ?? {};
    const begins =
      kind === 'name'
        ? !['else', 'or', 'and', 'if'].includes(text)
        : ['string', 'integer', 'float'].includes(kind) || (kind === 'operator' && '[{'.includes(text));
    return { positional: begins ? [this.#values.value()] : [], named: [] };
  }

  #dottedName(): string {
    let name = this.#stream.name();
    while (this.#stream.skip('operator', '.')) name += `.${this.#stream.name()}`;
    return name;
  }
}
