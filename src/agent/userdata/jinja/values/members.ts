import type { Budget } from './budget.ts';
import { lengthOf } from './iterate.ts';
import { bind, needCount } from './signature.ts';
import { type Method, STRING_METHODS } from './string-methods.ts';
import { characters, str } from './text.ts';
import { isUnsupported, type Kind, unknownNameMessage } from './unsupported.ts';
import {
  type CallArgs,
  Dict,
  defined,
  Loop,
  Sequence,
  typeName,
  Undefined,
  type Value,
  ValueError,
} from './values.ts';

const view = (name: string, items: (dict: Dict) => Value[]): Method<Dict> => {
  return (dict, args) => {
    bind(name, args, []);
    return new Sequence('view', items(dict));
  };
};

const DICT_METHODS: Readonly<Record<string, Method<Dict>>> = {
  items: view('items', (dict) => dict.pairs.map((pair) => new Sequence('tuple', pair))),
  keys: view('keys', (dict) => dict.pairs.map(([key]) => key)),
  values: view('values', (dict) => dict.pairs.map(([, value]) => value)),
  get: (dict, args) => {
    const [key = null, otherwise = null] = bind('get', args, ['key', 'default?']);
    const value = dict.get(key);
    return value === undefined ? otherwise : value;
  },
};

const LOOP_MEMBERS: Readonly<Record<string, (loop: Loop) => Value>> = {
  index: ({ position }) => BigInt(position + 1),
  index0: ({ position }) => BigInt(position),
  revindex: ({ position, length }) => BigInt(length - position),
  revindex0: ({ position, length }) => BigInt(length - position - 1),
  first: ({ position }) => position === 0,
  last: ({ position, length }) => position === length - 1,
  length: ({ length }) => BigInt(length),
};

/** `value.name`: the item, else undefined (`getattr` of Jinja2). @throws ValueError for Python's members */
export function attribute(value: Value, name: string): Value {
  defined(value);
  const found = member(value, name);
  if (found !== undefined) return found;
  const entry = item(value, name);
  return entry === undefined ? new Undefined(name) : entry;
}

/** `value[key]`: the item, else undefined (`getitem` of Jinja2). @throws ValueError for Python's members */
export function subscript(value: Value, key: Value): Value {
  defined(value);
  const entry = item(value, key);
  if (entry !== undefined) return entry;
  const found = typeof key === 'string' ? member(value, key) : undefined;
  return found === undefined ? new Undefined(str(key)) : found;
}

function item(value: Value, key: Value): Value | undefined {
  if (value instanceof Dict) return value.get(key);
  if (typeof key !== 'bigint' && typeof key !== 'boolean') return undefined;
  return indexable(value)?.at(Number(key));
}

function indexable(value: Value): readonly Value[] | undefined {
  if (typeof value === 'string') return characters(value);
  return value instanceof Sequence && value.kind !== 'view' ? value.items : undefined;
}

/** Methods are no values here: Python would print their memory address. */
function member(value: Value, name: string): Value | undefined {
  if (value instanceof Loop && Object.hasOwn(LOOP_MEMBERS, name)) return LOOP_MEMBERS[name]?.(value);
  if (methodOf(value, name) !== undefined) {
    throw new ValueError(
      `${name} is a method and needs parentheses: ${name}(). To read a key of that name, write ["${name}"].`,
    );
  }
  if (isUnsupported(kindOf(value), name)) throw new ValueError(unknownNameMessage(kindOf(value), name));
  return undefined;
}

function kindOf(value: Value): Kind {
  if (typeof value === 'string') return 'method of strings';
  if (value instanceof Dict) return 'method of mappings';
  if (value instanceof Loop) return 'member of loop';
  if (!(value instanceof Sequence)) return 'member of numbers';
  const kinds = {
    list: 'method of lists',
    tuple: 'method of tuples',
    range: 'member of range',
    view: 'method of views',
  } as const;
  return kinds[value.kind];
}

/** Calls `value.name(...)`. */
export function callMethod(value: Value, name: string, args: CallArgs, budget: Budget): Value {
  defined(value);
  const method = methodOf(value, name);
  if (method !== undefined) return method(args, budget);
  throw new ValueError(`${typeName(defined(attribute(value, name)))} cannot be called.`);
}

function methodOf(value: Value, name: string): ((args: CallArgs, budget: Budget) => Value) | undefined {
  if (typeof value === 'string') return bound(STRING_METHODS, value, name);
  return value instanceof Dict ? bound(DICT_METHODS, value, name) : undefined;
}

function bound<T>(methods: Readonly<Record<string, Method<T>>>, value: T, name: string) {
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  return method && ((args: CallArgs, budget: Budget) => method(value, args, budget));
}

/** `value[start:stop:step]`. */
export function slice(
  value: Value,
  start: Value | undefined,
  stop: Value | undefined,
  step: Value | undefined,
): Value {
  defined(value);
  const all = value instanceof Sequence && value.kind === 'range' ? undefined : indexable(value);
  if (all === undefined) throw new ValueError('Only strings, lists and tuples can be sliced.');
  const stride = step === undefined || step === null ? 1 : needCount('A slice', step);
  if (stride === 0) throw new ValueError('The step of a slice cannot be zero.');
  const length = lengthOf(value);
  const [low, high] = stride > 0 ? [0, length] : [-1, length - 1];
  const clamp = (bound: Value | undefined, otherwise: number): number => {
    if (bound === undefined || bound === null) return otherwise;
    const index = needCount('A slice', bound);
    return Math.min(high, Math.max(low, index < 0 ? index + length : index));
  };
  const from = clamp(start, stride > 0 ? low : high);
  const to = clamp(stop, stride > 0 ? high : low);
  const picked: Value[] = [];
  for (let index = from; stride > 0 ? index < to : index > to; index += stride)
    picked.push(all[index] ?? null);
  return value instanceof Sequence ? new Sequence(value.kind, picked) : picked.join('');
}
