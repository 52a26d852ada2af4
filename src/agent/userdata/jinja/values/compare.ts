import {
  Dict,
  defined,
  identity,
  List,
  Range,
  Tuple,
  typeName,
  Undefined,
  type Value,
  ValueError,
} from './values.ts';

/** Python's `==`. */
export function equal(a: Value, b: Value, depth = 0): boolean {
  if (depth > 50) throw new ValueError('A list or mapping is nested too deeply, or in itself.');
  if (isNumeric(a) && isNumeric(b))
    return Number.isNaN(a) || Number.isNaN(b) ? false : Number(a) === Number(b) && same(a, b);
  if (a instanceof Undefined && b instanceof Undefined) return true;
  if (a instanceof List && b instanceof List) return equalItems(a.items, b.items, depth);
  if (a instanceof Tuple && b instanceof Tuple) return equalItems(a.items, b.items, depth);
  if (a instanceof Dict && b instanceof Dict) {
    if (a.entries.size !== b.entries.size) return false;
    return a.pairs.every(([key, value]) => {
      const other = b.get(key);
      return other !== undefined && equal(value, other, depth + 1);
    });
  }
  return a === b;
}

function equalItems(a: readonly Value[], b: readonly Value[], depth: number): boolean {
  return a.length === b.length && a.every((item, index) => equal(item, b[index] ?? null, depth + 1));
}

export function isNumeric(value: Value): value is boolean | bigint | number {
  return typeof value === 'boolean' || typeof value === 'bigint' || typeof value === 'number';
}

/** Exact for big integers, where conversion to a float is not. */
function same(a: boolean | bigint | number, b: boolean | bigint | number): boolean {
  return identity(a) === identity(b);
}

/** Negative, zero or positive as `a` is before, equal to or after `b`; throws where Python has no order. */
export function order(a: Value, b: Value): number {
  defined(a);
  defined(b);
  if (isNumeric(a) && isNumeric(b)) {
    const [x, y] = [typeof a === 'boolean' ? Number(a) : a, typeof b === 'boolean' ? Number(b) : b];
    return x < y ? -1 : x > y ? 1 : 0;
  }
  if (typeof a === 'string' && typeof b === 'string') return orderText(a, b);
  if ((a instanceof List && b instanceof List) || (a instanceof Tuple && b instanceof Tuple)) {
    const length = Math.min(a.items.length, b.items.length);
    for (let index = 0; index < length; index += 1) {
      const [x = null, y = null] = [a.items[index], b.items[index]];
      if (!equal(x, y)) return order(x, y);
    }
    return a.items.length - b.items.length;
  }
  throw new ValueError(`${typeName(a)} and ${typeName(b)} have no order.`);
}

/** By code points, as Python compares. */
function orderText(a: string, b: string): number {
  if (a === b) return 0;
  let index = 0;
  while (index < a.length && a[index] === b[index]) index += 1;
  // Step back to the start of a surrogate pair that differs only in its second half.
  if (index > 0 && /[\uDC00-\uDFFF]/.test(a[index] ?? '')) index -= 1;
  return (a.codePointAt(index) ?? -1) - (b.codePointAt(index) ?? -1);
}

export function compare(operator: string, a: Value, b: Value): boolean {
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

/** Python's `item in container`. */
export function contains(container: Value, item: Value): boolean {
  if (typeof container === 'string') {
    if (typeof item !== 'string')
      throw new ValueError(`Only a string can be in a string, not ${typeName(item)}.`);
    return container.includes(item);
  }
  if (container instanceof Dict) return container.get(item) !== undefined;
  if (container instanceof List || container instanceof Tuple)
    return container.items.some((each) => equal(each, item));
  if (container instanceof Range) {
    const { start, stop, step } = container;
    if (typeof item !== 'bigint' || (item - start) % step !== 0n) return false;
    return step > 0n ? item >= start && item < stop : item <= start && item > stop;
  }
  if (container instanceof Undefined) return false;
  throw new ValueError(`Nothing can be in ${typeName(container)}.`);
}
