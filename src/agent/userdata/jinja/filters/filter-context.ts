import type { Budget } from '../budget.ts';
import { attribute, subscript } from '../values/members.ts';
import { type CallArgs, Callable, List, str, Tuple, Undefined, type Value } from '../values/values.ts';

/** What filters need besides their value and arguments. */
export interface FilterContext {
  budget: Budget;
  filter(name: string, value: Value, args: CallArgs): Value;
  test(name: string, value: Value, args: readonly Value[]): boolean;
}

export type Filter = (value: Value, args: CallArgs, context: FilterContext) => Value;

/** Jinja2's `make_attrgetter`: `a.b.0` walks through members and indices; several with commas make a list. */
export function attributeGetter(path: Value, budget: Budget, otherwise?: Value): (value: Value) => Value {
  const walk = (steps: string[]) => (start: Value) => {
    let value = start;
    for (const step of steps) {
      value = subscript(value, /^\d+$/.test(step) ? BigInt(step) : step, budget);
      if (value instanceof Undefined && otherwise !== undefined) value = otherwise;
    }
    return value;
  };
  if (typeof path === 'bigint') return (value) => subscript(value, path, budget);
  const paths = str(path)
    .split(',')
    .map((each) => walk(each.split('.')));
  const [only] = paths;
  return paths.length === 1 && only !== undefined
    ? only
    : (value) => new List(paths.map((each) => each(value)));
}

/** Case folding for sorting and comparing; lists and tuples are folded item by item. */
export function foldCase(value: Value): Value {
  if (typeof value === 'string') return value.toLowerCase();
  return value instanceof Tuple ? new Tuple(value.items.map(foldCase)) : value;
}

/** `x | attr("name")`: members only, no items. */
export function attr(value: Value, name: string, budget: Budget): Value {
  const found = attribute(value, name, budget);
  const isItem = !(found instanceof Callable) && subscript(value, name, budget) === found;
  return isItem ? new Undefined(name) : found;
}
