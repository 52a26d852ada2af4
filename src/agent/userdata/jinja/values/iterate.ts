import type { Budget } from './budget.ts';
import { characters } from './text.ts';
import { type CallArgs, Dict, Sequence, typeName, Undefined, type Value, ValueError } from './values.ts';

/** The items of an iterable value: characters of a string, keys of a mapping. */
export function iterate(value: Value, budget: Budget): readonly Value[] {
  if (value instanceof Sequence) return budget.items(value.items);
  if (value instanceof Dict) return budget.items(value.pairs.map(([key]) => key));
  if (typeof value === 'string') return budget.items(characters(value));
  if (value instanceof Undefined) return [];
  throw new ValueError(`There are no items in ${typeName(value)}.`);
}

/** Python's `len()`. */
export function lengthOf(value: Value): number {
  if (typeof value === 'string') return characters(value).length;
  if (value instanceof Sequence) return value.items.length;
  if (value instanceof Dict) return value.size;
  if (value instanceof Undefined) return 0;
  throw new ValueError(`${typeName(value)} has no length.`);
}

/** The limit of Jinja2's sandbox. */
const MAX_RANGE = 100_000n;

/** Python's `range(stop)` and `range(start, stop, step)`. */
export function range({ positional, named }: CallArgs, budget: Budget): Sequence {
  const numbers = positional.map((each) => {
    if (typeof each !== 'bigint') throw new ValueError('range needs whole numbers.');
    return each;
  });
  const [first, second, step = 1n] = numbers;
  if (first === undefined || numbers.length > 3 || named.size > 0)
    throw new ValueError('range takes one to three numbers.');
  if (step === 0n) throw new ValueError('The step of range cannot be zero.');
  const [start, stop] = second === undefined ? [0n, first] : [first, second];
  const length = (stop - start + step + (step > 0n ? -1n : 1n)) / step;
  if (length > MAX_RANGE) throw new ValueError(`range is longer than ${MAX_RANGE}.`);
  const count = Math.max(0, Number(length));
  budget.reserveItems(count);
  return new Sequence(
    'range',
    Array.from({ length: count }, (_, index) => start + BigInt(index) * step),
  );
}
