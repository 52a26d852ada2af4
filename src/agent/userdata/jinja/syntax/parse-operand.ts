import { FILTERS } from '../filters/filters.ts';
import { TESTS } from '../filters/tests.ts';
import { unknownNameMessage } from '../values/unsupported.ts';
import type { Args, Expr } from './ast.ts';
import { type Inner, ValueParser } from './parse-value.ts';
import { TemplateError } from './template-error.ts';
import type { TokenStream } from './token-stream.ts';

/** An operand: a value with its sign, and the filters and tests that follow it. */
export function parseOperand(stream: TokenStream, inner: Inner): Expr {
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
    if (stream.is('name', 'is')) stream.fail('Tests with "is" cannot be chained; one stands');
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
