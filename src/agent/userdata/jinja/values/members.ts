import type { Budget } from '../budget.ts';
import { lengthOf } from './arithmetic.ts';
import { DICT_METHODS, LIST_METHODS, TUPLE_METHODS } from './collection-methods.ts';
import { needCount } from './signature.ts';
import { type Context, STRING_METHODS } from './string-methods.ts';
import {
  Callable,
  characters,
  Dict,
  defined,
  List,
  Range,
  Thing,
  Tuple,
  Undefined,
  type Value,
  ValueError,
} from './values.ts';

/** `value.name`: a method or member, else the item of that key, else undefined (Jinja2's `getattr`). */
export function attribute(value: Value, name: string, budget: Budget): Value {
  defined(value);
  const found = member(value, name, budget);
  const entry = found === undefined ? item(value, name) : found;
  return entry === undefined ? new Undefined(name) : entry;
}

/** `value[key]`: the item, else the member of that name, else undefined (Jinja2's `getitem`). */
export function subscript(value: Value, key: Value, budget: Budget): Value {
  defined(value);
  const found = item(value, key);
  if (found !== undefined) return found;
  const named = typeof key === 'string' ? member(value, key, budget) : undefined;
  return named === undefined ? new Undefined(typeof key === 'string' ? key : nameOf(key)) : named;
}

function nameOf(key: Value): string {
  return typeof key === 'bigint' ? key.toString() : 'item';
}

function item(value: Value, key: Value): Value | undefined {
  if (value instanceof Dict) return hashable(key) ? value.get(key) : undefined;
  if (typeof key !== 'bigint' && typeof key !== 'boolean') return undefined;
  const list = typeof value === 'string' ? characters(value) : sequence(value);
  if (value instanceof Range) {
    const index = Number(key) < 0 ? Number(key) + value.length : Number(key);
    return index >= 0 && index < value.length ? value.start + BigInt(index) * value.step : undefined;
  }
  return list?.at(Number(key));
}

function sequence(value: Value): readonly Value[] | undefined {
  return value instanceof List || value instanceof Tuple ? value.items : undefined;
}

function hashable(key: Value): boolean {
  return !(
    key instanceof List ||
    key instanceof Dict ||
    key instanceof Undefined ||
    key instanceof Thing ||
    key instanceof Callable ||
    key instanceof Range
  );
}

/** Members that start with two underscores are Python's insides; the sandbox of jinja hides them. */
function member(value: Value, name: string, budget: Budget): Value | undefined {
  if (value instanceof Thing) return value.member(name);
  if (value instanceof Tuple) {
    const index = value.names.indexOf(name);
    if (index !== -1) return value.items[index];
  }
  const context: Context = { budget, member: (inner, key) => anyMember(inner, key, budget) };
  if (typeof value === 'string') return bound(STRING_METHODS, value, name, context);
  if (value instanceof Dict) return bound(DICT_METHODS, value, name, context);
  if (value instanceof List) return bound(LIST_METHODS, value, name, context);
  if (value instanceof Tuple) return bound(TUPLE_METHODS, value, name, context);
  return undefined;
}

/** What stands behind a place of `str.format`: `.name` or `[key]`, a number being an index. */
function anyMember(value: Value, key: string, budget: Budget): Value {
  const found = /^\d+$/.test(key) ? subscript(value, BigInt(key), budget) : attribute(value, key, budget);
  if (found instanceof Undefined)
    throw new ValueError('The format asks for a member that the value does not have.');
  return found;
}

function bound<T extends Value>(
  methods: Readonly<
    Record<
      string,
      (value: T, args: { positional: Value[]; named: Map<string, Value> }, context: Context) => Value
    >
  >,
  value: T,
  name: string,
  context: Context,
): Value | undefined {
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (method === undefined) return undefined;
  return new Callable(name, (args) => method(value, args, context));
}

/** `value[start:stop:step]`. */
export function slice(
  value: Value,
  start: Value | undefined,
  stop: Value | undefined,
  step: Value | undefined,
): Value {
  defined(value);
  const list = typeof value === 'string' ? characters(value) : sequence(value);
  if (list === undefined) throw new ValueError('Only strings, lists and tuples can be sliced.');
  const stride = step === undefined || step === null ? 1 : needCount('A slice', step);
  if (stride === 0) throw new ValueError('The step of a slice cannot be zero.');
  const length = lengthOf(value);
  const low = stride > 0 ? 0 : -1;
  const high = stride > 0 ? length : length - 1;
  const clamp = (bound: Value | undefined, otherwise: number): number => {
    if (bound === undefined || bound === null) return otherwise;
    const index = needCount('A slice', bound);
    return Math.min(high, Math.max(low, index < 0 ? index + length : index));
  };
  const from = clamp(start, stride > 0 ? low : high);
  const to = clamp(stop, stride > 0 ? high : low);
  const picked: (Value | string)[] = [];
  for (let index = from; stride > 0 ? index < to : index > to; index += stride)
    picked.push(list[index] ?? null);
  if (typeof value === 'string') return picked.join('');
  return value instanceof Tuple ? new Tuple(picked) : new List(picked);
}
