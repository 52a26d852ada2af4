import type { Expr } from './ast.ts';
import { parseInteger, parseString } from './literals.ts';
import { parseArgs } from './parse-arguments.ts';
import { parseFilters } from './parse-filters.ts';
import type { TokenStream } from './token-stream.ts';

const COMPARISONS = new Set(['==', '!=', '<', '<=', '>', '>=']);

/** An expression with Jinja2's precedences. `condition` false leaves `a if b` alone, as in `{% for x in a if b %}`. */
export function parseExpression(stream: TokenStream, condition = true): Expr {
  return stream.deeper(() => (condition ? parseCondition(stream) : parseOr(stream)));
}

/** An expression, or several with commas between them, which make a tuple. */
export function parseTuple(stream: TokenStream, condition = true): Expr {
  const at = stream.offset;
  if (isTupleEnd(stream)) stream.fail('Expected an expression');
  const first = parseExpression(stream, condition);
  if (!stream.is('operator', ',')) return first;
  const items = [first];
  while (stream.skip('operator', ',') && !isTupleEnd(stream)) items.push(parseExpression(stream, condition));
  return { type: 'tuple', items, at };
}

function isTupleEnd(stream: TokenStream): boolean {
  return (
    stream.current === undefined ||
    stream.is('end') ||
    stream.is('operator', ')') ||
    stream.is('name', 'recursive')
  );
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
    yes = { type: 'condition', test, yes, at, ...(no === undefined ? {} : { no }) };
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
  return leftToRight(
    stream,
    parsePower,
    (text, kind) => kind === 'operator' && ['*', '/', '//', '%'].includes(text),
  );
}

/** Unlike in Python, powers go from left to right: `2 ** 3 ** 2` is 64. */
function parsePower(stream: TokenStream): Expr {
  return leftToRight(stream, parseUnary, (text, kind) => kind === 'operator' && text === '**');
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

function parseUnary(stream: TokenStream): Expr {
  return parseFilters(stream, parseSigned(stream));
}

function parseSigned(stream: TokenStream): Expr {
  const at = stream.offset;
  for (const operator of ['-', '+'] as const) {
    if (stream.skip('operator', operator)) {
      return { type: 'unary', operator, value: stream.deeper(() => parseSigned(stream)), at };
    }
  }
  return parsePostfix(stream, parsePrimary(stream));
}

/** A name, a literal, or something in brackets. */
export function parsePrimary(stream: TokenStream): Expr {
  const at = stream.offset;
  const token = stream.current;
  if (token?.kind === 'name') return constantOrName(stream.name(), at);
  if (token?.kind === 'string') return { type: 'const', value: parseStrings(stream), at };
  if (token?.kind === 'integer') return { type: 'const', value: parseInteger(stream.next()?.text ?? ''), at };
  if (token?.kind === 'float')
    return { type: 'const', value: Number(stream.next()?.text.replaceAll('_', '')), at };
  if (stream.skip('operator', '(')) return parseParenthesis(stream, at);
  if (stream.skip('operator', '[')) {
    return { type: 'list', items: parseItems(stream, ']', () => parseExpression(stream)), at };
  }
  if (stream.skip('operator', '{'))
    return { type: 'dict', entries: parseItems(stream, '}', () => parseEntry(stream)), at };
  return stream.fail('Expected an expression');
}

const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
]);

function constantOrName(name: string, at: number): Expr {
  const value = CONSTANTS.get(name);
  return value === undefined ? { type: 'name', name, at } : { type: 'const', value, at };
}

function parseStrings(stream: TokenStream): string {
  let text = '';
  while (stream.is('string')) text += parseString(stream.next()?.text ?? '');
  return text;
}

function parseParenthesis(stream: TokenStream, at: number): Expr {
  if (stream.skip('operator', ')')) return { type: 'tuple', items: [], at };
  const inner = parseTuple(stream);
  stream.expect('operator', ')');
  return inner;
}

function parseItems<T>(stream: TokenStream, end: string, parse: () => T): T[] {
  const items: T[] = [];
  while (!stream.skip('operator', end)) {
    if (items.length > 0) stream.expect('operator', ',');
    if (stream.skip('operator', end)) break;
    items.push(parse());
  }
  return items;
}

function parseEntry(stream: TokenStream): [Expr, Expr] {
  const key = parseExpression(stream);
  stream.expect('operator', ':');
  return [key, parseExpression(stream)];
}

/** `.name`, `[key]` and `(arguments)` behind a value. */
export function parsePostfix(stream: TokenStream, start: Expr): Expr {
  let value = start;
  const link = stream.chain();
  for (;;) {
    link();
    const at = stream.offset;
    if (stream.skip('operator', '.')) value = parseMember(stream, value, at);
    else if (stream.skip('operator', '[')) value = parseSubscript(stream, value, at);
    else if (stream.is('operator', '(')) value = { type: 'call', target: value, args: parseArgs(stream), at };
    else return value;
  }
}

function parseMember(stream: TokenStream, object: Expr, at: number): Expr {
  if (stream.is('integer')) {
    const value = parseInteger(stream.next()?.text ?? '');
    return { type: 'item', object, key: { type: 'const', value, at }, at };
  }
  return { type: 'attribute', object, name: stream.name(), at };
}

function parseSubscript(stream: TokenStream, object: Expr, at: number): Expr {
  const keys = [parseSliceOrKey(stream)];
  while (stream.skip('operator', ',')) keys.push(parseSliceOrKey(stream));
  stream.expect('operator', ']');
  const [only] = keys;
  return {
    type: 'item',
    object,
    key: keys.length === 1 && only !== undefined ? only : { type: 'tuple', items: keys, at },
    at,
  };
}

function parseSliceOrKey(stream: TokenStream): Expr {
  const at = stream.offset;
  const part = (): Expr | undefined =>
    stream.is('operator', ':') || stream.is('operator', ']') || stream.is('operator', ',')
      ? undefined
      : parseExpression(stream);
  const start = part();
  if (!stream.skip('operator', ':')) return start ?? stream.fail('Expected an expression');
  const stop = part();
  const step = stream.skip('operator', ':') ? part() : undefined;
  return {
    type: 'slice',
    at,
    ...(start === undefined ? {} : { start }),
    ...(stop === undefined ? {} : { stop }),
    ...(step === undefined ? {} : { step }),
  };
}
