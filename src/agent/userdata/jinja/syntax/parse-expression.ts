import type { Expr } from './ast.ts';
import { parseOperand } from './parse-operand.ts';
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
  if (stream.is('operator', '/')) throw leftOut(stream, 'use // for a division without rest');
  if (stream.is('operator', '**')) throw leftOut(stream, 'write out the number');
  return value;
}

function leftOut(stream: TokenStream, advice: string): TemplateError {
  const operator = stream.current?.text;
  return new TemplateError(`Slipway does not know the operator ${operator}; ${advice}.`, stream.offset);
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
