import { iterate } from './arithmetic.ts';
import { equal, order } from './compare.ts';
import { bind, needCount } from './signature.ts';
import type { Context } from './string-methods.ts';
import { type CallArgs, Dict, List, Tuple, type Value, ValueError } from './values.ts';

/** Methods of mappings. */
export const DICT_METHODS: Readonly<Record<string, (dict: Dict, args: CallArgs, context: Context) => Value>> =
  {
    items: (dict) => new List(dict.pairs.map((pair) => new Tuple(pair))),
    keys: (dict) => new List(dict.pairs.map(([key]) => key)),
    values: (dict) => new List(dict.pairs.map(([, value]) => value)),
    get: (dict, args) => {
      const [key = null, otherwise = null] = bind('get', args, ['key', 'default?']);
      const value = dict.get(key);
      return value === undefined ? otherwise : value;
    },
    pop: (dict, args) => {
      const [key = null, otherwise] = bind('pop', args, ['key', 'default?']);
      const value = dict.delete(key) ?? otherwise;
      if (value === undefined) throw new ValueError('pop: the mapping does not have the key.');
      return value;
    },
    setdefault: (dict, args) => {
      const [key = null, otherwise = null] = bind('setdefault', args, ['key', 'default?']);
      const value = dict.get(key);
      if (value !== undefined) return value;
      dict.set(key, otherwise);
      return otherwise;
    },
    update: (dict, args, { budget }) => {
      for (const source of args.positional) {
        if (source instanceof Dict) for (const [key, value] of source.pairs) dict.set(key, value);
        else
          for (const [key, value] of pairsOf(source, (each) => iterate(each, budget))) dict.set(key, value);
      }
      for (const [key, value] of args.named) dict.set(key, value);
      budget.reserveItems(dict.entries.size);
      return null;
    },
    copy: (dict) => copyDict(dict),
    clear: (dict) => {
      dict.entries.clear();
      return null;
    },
  };

export function copyDict(dict: Dict): Dict {
  const copy = new Dict();
  for (const [key, value] of dict.pairs) copy.set(key, value);
  return copy;
}

/** Two-item lists or tuples, as `dict([...])` takes them. */
export function pairsOf(source: Value, items: (value: Value) => Value[]): [Value, Value][] {
  return items(source).map((item) => {
    const [key, value, ...more] = items(item);
    if (key === undefined || value === undefined || more.length > 0)
      throw new ValueError('A mapping needs pairs of key and value.');
    return [key, value];
  });
}

/** Methods of lists. */
export const LIST_METHODS: Readonly<Record<string, (list: List, args: CallArgs, context: Context) => Value>> =
  {
    append: (list, args, { budget }) => {
      const [value = null] = bind('append', args, ['object']);
      budget.step();
      list.items.push(value);
      return null;
    },
    extend: (list, args, { budget }) => {
      const [more = null] = bind('extend', args, ['iterable']);
      for (const item of iterate(more, budget)) list.items.push(item);
      budget.reserveItems(list.items.length);
      return null;
    },
    insert: (list, args, { budget }) => {
      const [index, value = null] = bind('insert', args, ['index', 'object']);
      budget.reserveItems(list.items.length);
      list.items.splice(needCount('insert', index), 0, value);
      return null;
    },
    pop: (list, args) => {
      const [index] = bind('pop', args, ['index?']);
      const [value] = list.items.splice(needCount('pop', index, -1), 1);
      if (value === undefined) throw new ValueError('pop: the list does not have the index.');
      return value;
    },
    remove: (list, args) => {
      const [value = null] = bind('remove', args, ['value']);
      list.items.splice(position(list.items, value, 'remove'), 1);
      return null;
    },
    index: (list, args) => BigInt(position(list.items, bind('index', args, ['value'])[0] ?? null, 'index')),
    count: (list, args) => {
      const [value = null] = bind('count', args, ['value']);
      return BigInt(list.items.filter((item) => equal(item, value)).length);
    },
    reverse: (list) => {
      list.items.reverse();
      return null;
    },
    sort: (list, args, { budget }) => {
      const [backwards] = bind('sort', args, ['reverse?']);
      budget.reserveItems(list.items.length);
      list.items.sort((a, b) => (backwards === true ? order(b, a) : order(a, b)));
      return null;
    },
    copy: (list) => new List([...list.items]),
    clear: (list) => {
      list.items.length = 0;
      return null;
    },
  };

/** Methods of tuples. */
export const TUPLE_METHODS: Readonly<Record<string, (tuple: Tuple, args: CallArgs) => Value>> = {
  index: (tuple, args) => BigInt(position(tuple.items, bind('index', args, ['value'])[0] ?? null, 'index')),
  count: (tuple, args) => {
    const [value = null] = bind('count', args, ['value']);
    return BigInt(tuple.items.filter((item) => equal(item, value)).length);
  },
};

function position(items: readonly Value[], value: Value, method: string): number {
  const at = items.findIndex((item) => equal(item, value));
  if (at === -1) throw new ValueError(`${method}: the value is not in the list.`);
  return at;
}
