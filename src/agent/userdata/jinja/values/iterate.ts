import type { Budget } from './budget.ts';
import { characters } from './text.ts';
import { Dict, Sequence, typeName, Undefined, type Value, ValueError } from './values.ts';

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
