import type { Budget } from '../budget.ts';
import { formatPercent } from '../format-percent.ts';
import { isNumeric } from './compare.ts';
import {
  characters,
  Dict,
  defined,
  List,
  Range,
  Tuple,
  typeName,
  Undefined,
  type Value,
  ValueError,
} from './values.ts';

/** Bits of the largest whole number; Python itself refuses to print more than 4300 digits (14,000 bits). */
const MAX_BITS = 14_000n;

/** Python's binary operators on the values of templates. */
export function arithmetic(operator: string, left: Value, right: Value, budget: Budget): Value {
  if (operator === '-' && left instanceof Undefined) throw new ValueError(subtraction(left, right));
  defined(left);
  if (operator === '%' && typeof left === 'string') return formatPercent(left, right, budget);
  defined(right);
  if (operator === '+') {
    const joined = join(left, right, budget);
    if (joined !== undefined) return joined;
  }
  if (operator === '*') {
    const repeated = repeat(left, right, budget) ?? repeat(right, left, budget);
    if (repeated !== undefined) return repeated;
  }
  if (!isNumeric(left) || !isNumeric(right)) {
    throw new ValueError(
      `The operator ${operator} does not work between ${typeName(left)} and ${typeName(right)}.`,
    );
  }
  const [a, b] = [toNumber(left), toNumber(right)];
  return typeof a === 'bigint' && typeof b === 'bigint'
    ? integers(operator, a, b)
    : floats(operator, Number(a), Number(b));
}

function subtraction(left: Undefined, right: Value): string {
  const name = left.name.slice(0, 60);
  const other = right instanceof Undefined ? right.name.slice(0, 60) : '...';
  return `"${name}" is not defined; for a name with a hyphen write "${name}_${other}" in place of "${name}-${other}".`;
}

/** Booleans count as 0 and 1. */
export function toNumber(value: boolean | bigint | number): bigint | number {
  return typeof value === 'boolean' ? (value ? 1n : 0n) : value;
}

function join(left: Value, right: Value, budget: Budget): Value | undefined {
  if (typeof left === 'string' && typeof right === 'string') return budget.text(left + right);
  if (left instanceof List && right instanceof List)
    return new List(budget.items([...left.items, ...right.items]));
  if (left instanceof Tuple && right instanceof Tuple)
    return new Tuple(budget.items([...left.items, ...right.items]));
  return undefined;
}

function repeat(value: Value, times: Value, budget: Budget): Value | undefined {
  if (typeof times !== 'bigint' && typeof times !== 'boolean') return undefined;
  const count = Math.max(0, Number(times));
  if (typeof value === 'string') {
    budget.reserve(value.length * count);
    return value.repeat(count);
  }
  if (!(value instanceof List || value instanceof Tuple)) return undefined;
  budget.reserveItems(value.items.length * count);
  const items = Array.from(
    { length: value.items.length * count },
    (_, index) => value.items[index % value.items.length] ?? null,
  );
  return value instanceof List ? new List(items) : new Tuple(items);
}

function integers(operator: string, a: bigint, b: bigint): Value {
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      if (bits(a) + bits(b) > MAX_BITS) throw new ValueError('The number becomes too large.');
      return a * b;
    case '**':
      return integerPower(a, b);
    default:
      if (b === 0n) throw new ValueError('Division by zero.');
      return operator === '/'
        ? Number(a) / Number(b)
        : operator === '//'
          ? floorDivide(a, b)
          : a - floorDivide(a, b) * b;
  }
}

function integerPower(a: bigint, b: bigint): Value {
  if (b < 0n) return floats('**', Number(a), Number(b));
  if (bits(a) * b > MAX_BITS) throw new ValueError('The number becomes too large.');
  return a ** b;
}

function bits(value: bigint): bigint {
  return value === 0n || value === 1n || value === -1n ? 0n : BigInt(value.toString(2).length);
}

function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
}

function floats(operator: string, a: number, b: number): number {
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '**':
      if (a === 0 && b < 0) throw new ValueError('Zero cannot be raised to a negative power.');
      return a ** b;
    default:
      if (b === 0) throw new ValueError('Division by zero.');
      if (operator === '/') return a / b;
      return operator === '//' ? Math.floor(a / b) : a - Math.floor(a / b) * b;
  }
}

/** The items of whatever can be iterated over. */
export function iterate(value: Value, budget: Budget): Value[] {
  if (value instanceof List || value instanceof Tuple) return [...value.items];
  if (value instanceof Dict) return value.pairs.map(([key]) => key);
  if (typeof value === 'string') return budget.items(characters(value));
  if (value instanceof Undefined) return [];
  if (value instanceof Range) {
    budget.reserveItems(value.length);
    return Array.from({ length: value.length }, (_, index) => value.start + BigInt(index) * value.step);
  }
  throw new ValueError(`There is nothing to go through in ${typeName(value)}.`);
}

/** Python's `len()`. */
export function lengthOf(value: Value): number {
  if (typeof value === 'string') return characters(value).length;
  if (value instanceof List || value instanceof Tuple) return value.items.length;
  if (value instanceof Dict) return value.entries.size;
  if (value instanceof Range) return value.length;
  if (value instanceof Undefined) return 0;
  throw new ValueError(`${typeName(value)} has no length.`);
}
