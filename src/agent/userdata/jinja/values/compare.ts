import {
  bounded,
  Dict,
  defined,
  isNumeric,
  Sequence,
  typeName,
  Undefined,
  type Value,
  ValueError,
} from './values.ts';

/** Python's comparisons, `in` and `not in`. */
export function compare(operator: string, a: Value, b: Value): boolean {
  bounded(a);
  bounded(b);
  switch (operator) {
    case '==':
      return equal(a, b);
    case '!=':
      return !equal(a, b);
    case 'in':
      return contains(b, a);
    case 'not in':
      return !contains(b, a);
    case '<':
      return order(a, b) < 0;
    case '<=':
      return order(a, b) <= 0;
    case '>':
      return order(a, b) > 0;
    default:
      return order(a, b) >= 0;
  }
}

function equal(a: Value, b: Value): boolean {
  if (isNumeric(a) && isNumeric(b)) return exact(a) <= exact(b) && exact(a) >= exact(b);
  if (a instanceof Undefined && b instanceof Undefined) return true;
  if (a instanceof Sequence && b instanceof Sequence) {
    if (a.kind === 'view' && b.kind === 'view') throw noOrder(a, b);
    return a.kind === b.kind && sameItems(a.items, b.items);
  }
  if (a instanceof Dict && b instanceof Dict) {
    if (a.size !== b.size) return false;
    return a.pairs.every(([key, value]) => {
      const other = b.get(key);
      return other !== undefined && equal(value, other);
    });
  }
  return a === b;
}

function sameItems(a: readonly Value[], b: readonly Value[]): boolean {
  return a.length === b.length && a.every((item, index) => equal(item, b[index] ?? null));
}

/** JavaScript compares bigint and number exactly, without rounding; a boolean counts as 0 or 1. */
function exact(value: boolean | bigint | number): bigint | number {
  return typeof value === 'boolean' ? Number(value) : value;
}

/** Negative if `a` comes before `b`, positive if after. @throws ValueError if Python has no order */
function order(a: Value, b: Value): number {
  defined(a);
  defined(b);
  if (isNumeric(a) && isNumeric(b)) {
    const [x, y] = [exact(a), exact(b)];
    return x < y ? -1 : x > y ? 1 : x >= y ? 0 : Number.NaN;
  }
  if (typeof a === 'string' && typeof b === 'string') return orderText(a, b);
  if (a instanceof Sequence && b instanceof Sequence && a.kind === b.kind) {
    if (a.kind === 'list' || a.kind === 'tuple') return orderItems(a.items, b.items);
  }
  throw noOrder(a, b);
}

function orderItems(a: readonly Value[], b: readonly Value[]): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const [x = null, y = null] = [a[index], b[index]];
    if (!equal(x, y)) return order(x, y);
  }
  return a.length - b.length;
}

function noOrder(a: Value, b: Value): ValueError {
  return new ValueError(`${typeName(a)} and ${typeName(b)} cannot be compared.`);
}

/** By code points, as Python compares. */
export function orderText(a: string, b: string): number {
  if (a === b) return 0;
  let index = 0;
  while (index < a.length && a[index] === b[index]) index += 1;
  // Step back to the start of a surrogate pair that differs only in its second half.
  if (index > 0 && /[\uDC00-\uDFFF]/.test(a[index] ?? '')) index -= 1;
  return (a.codePointAt(index) ?? -1) - (b.codePointAt(index) ?? -1);
}

/** Python's `item in container`. */
export function contains(container: Value, item: Value): boolean {
  if (typeof container === 'string') {
    if (typeof item === 'string') return container.includes(item);
    throw new ValueError(`Only a string can be in a string, not ${typeName(item)}.`);
  }
  if (container instanceof Dict) return container.get(item) !== undefined;
  if (container instanceof Sequence) return container.items.some((each) => equal(each, item));
  if (container instanceof Undefined) return false;
  throw new ValueError(`Nothing can be in ${typeName(container)}.`);
}
