import type { Args, Expr } from './ast.ts';
import { parseArgs } from './parse-arguments.ts';
import { parsePostfix, parsePrimary } from './parse-expression.ts';
import type { TokenStream } from './token-stream.ts';

/** Filters (`| name`), tests (`is name`) and calls behind a value. */
export function parseFilters(stream: TokenStream, start: Expr): Expr {
  let value = start;
  const link = stream.chain();
  for (;;) {
    link();
    const at = stream.offset;
    if (stream.skip('operator', '|')) value = parseFilter(stream, at, value);
    else if (stream.skip('name', 'is')) value = parseTest(stream, value, at);
    else if (stream.is('operator', '(')) value = { type: 'call', target: value, args: parseArgs(stream), at };
    else return value;
  }
}

/** A filter's name and arguments; the `|` has been read. */
export function parseFilter(stream: TokenStream, at: number, value?: Expr): Expr {
  const name = dottedName(stream);
  const args = stream.is('operator', '(') ? parseArgs(stream) : { positional: [], named: [] };
  return { type: 'filter', name, args, at, ...(value === undefined ? {} : { value }) };
}

function parseTest(stream: TokenStream, value: Expr, at: number): Expr {
  const negated = stream.skip('name', 'not');
  const name = dottedName(stream);
  const test: Expr = { type: 'test', name, value, args: testArgs(stream), at };
  return negated ? { type: 'unary', operator: 'not', value: test, at } : test;
}

function testArgs(stream: TokenStream): Args {
  if (stream.is('operator', '(')) return parseArgs(stream);
  const token = stream.current;
  const begins =
    token !== undefined &&
    (['name', 'string', 'integer', 'float'].includes(token.kind) ||
      (token.kind === 'operator' && '[{'.includes(token.text)));
  if (!begins || (token.kind === 'name' && ['else', 'or', 'and', 'if', 'is'].includes(token.text))) {
    if (stream.is('name', 'is')) stream.fail('Tests with "is" cannot be chained; one stands');
    return { positional: [], named: [] };
  }
  return { positional: [parsePostfix(stream, parsePrimary(stream))], named: [] };
}

function dottedName(stream: TokenStream): string {
  let name = stream.name();
  while (stream.skip('operator', '.')) name += `.${stream.name()}`;
  return name;
}
