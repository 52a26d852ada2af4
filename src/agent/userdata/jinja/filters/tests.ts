import { compare, contains, equal, isNumeric } from '../values/compare.ts';
import {
  Callable,
  Dict,
  List,
  Range,
  str,
  Thing,
  Tuple,
  Undefined,
  type Value,
  ValueError,
} from '../values/values.ts';

type Test = (value: Value, args: readonly Value[]) => boolean;

function whole(value: Value): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'boolean') return BigInt(value);
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  throw new ValueError('The test needs a whole number.');
}

function modulo(value: Value, divisor: bigint): bigint {
  if (divisor === 0n) throw new ValueError('Division by zero.');
  const rest = whole(value) % divisor;
  return rest < 0n ? -rest : rest;
}

const comparing =
  (operator: string): Test =>
  (value, [other = null]) =>
    compare(operator, value, other);

const isLower: Test = (value) =>
  str(value) === str(value).toLowerCase() && str(value) !== str(value).toUpperCase();
const isUpper: Test = (value) =>
  str(value) === str(value).toUpperCase() && str(value) !== str(value).toLowerCase();
const isSequence: Test = (value) =>
  typeof value === 'string' ||
  value instanceof List ||
  value instanceof Tuple ||
  value instanceof Dict ||
  value instanceof Range ||
  value instanceof Undefined;

/** Jinja2's tests, but for those on filters and tests themselves, which need the tables of these. */
export const TESTS: Readonly<Record<string, Test>> = {
  defined: (value) => !(value instanceof Undefined),
  undefined: (value) => value instanceof Undefined,
  none: (value) => value === null,
  boolean: (value) => typeof value === 'boolean',
  true: (value) => value === true,
  false: (value) => value === false,
  integer: (value) => typeof value === 'bigint',
  float: (value) => typeof value === 'number',
  number: isNumeric,
  string: (value) => typeof value === 'string',
  mapping: (value) => value instanceof Dict,
  iterable: isSequence,
  sequence: isSequence,
  callable: (value) =>
    value instanceof Callable ||
    value instanceof Undefined ||
    (value instanceof Thing && value.call !== undefined),
  odd: (value) => modulo(value, 2n) === 1n,
  even: (value) => modulo(value, 2n) === 0n,
  divisibleby: (value, [divisor = null]) => modulo(value, whole(divisor)) === 0n,
  lower: isLower,
  upper: isUpper,
  escaped: () => false,
  in: (value, [container = null]) => contains(container, value),
  sameas: (value, [other = null]) =>
    value === other || (isNumeric(value) && typeof value === typeof other && equal(value, other)),
  '==': comparing('=='),
  eq: comparing('=='),
  equalto: comparing('=='),
  '!=': comparing('!='),
  ne: comparing('!='),
  '<': comparing('<'),
  lt: comparing('<'),
  lessthan: comparing('<'),
  '<=': comparing('<='),
  le: comparing('<='),
  '>': comparing('>'),
  gt: comparing('>'),
  greaterthan: comparing('>'),
  '>=': comparing('>='),
  ge: comparing('>='),
};
