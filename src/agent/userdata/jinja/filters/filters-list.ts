import { arithmetic, iterate, lengthOf } from '../values/arithmetic.ts';
import { equal, order } from '../values/compare.ts';
import { bind, needCount, needText } from '../values/signature.ts';
import {
  type CallArgs,
  characters,
  Dict,
  defined,
  List,
  str,
  Tuple,
  truth,
  Undefined,
  type Value,
  ValueError,
} from '../values/values.ts';
import { attributeGetter, type Filter, type FilterContext, foldCase } from './filter-context.ts';

/** A getter for the `attribute` argument; the value itself when there is none. */
function getter(attribute: Value | undefined, { budget }: FilterContext): (value: Value) => Value {
  return attribute === undefined || attribute === null
    ? (value) => value
    : attributeGetter(attribute, budget);
}

const join: Filter = (value, args, context) => {
  const [separator, attribute] = bind('join', args, ['d?', 'attribute?']);
  const glue = separator === undefined ? '' : str(separator);
  const parts = iterate(value, context.budget).map(getter(attribute, context)).map(str);
  context.budget.reserve(parts.reduce((sum, part) => sum + part.length + glue.length, 0));
  return parts.join(glue);
};

const sort: Filter = (value, args, context) => {
  const [reverse, caseSensitive, attribute] = bind('sort', args, [
    'reverse?',
    'case_sensitive?',
    'attribute?',
  ]);
  const get = getter(attribute, context);
  const fold = truth(caseSensitive ?? false) ? (each: Value) => each : foldCase;
  const keyed = iterate(value, context.budget).map((item) => ({ item, key: fold(get(item)) }));
  const sign = truth(reverse ?? false) ? -1 : 1;
  keyed.sort((a, b) => {
    context.budget.step();
    return sign * order(a.key, b.key);
  });
  return new List(keyed.map(({ item }) => item));
};

const extreme =
  (name: string, sign: number): Filter =>
  (value, args, context) => {
    const [caseSensitive, attribute] = bind(name, args, ['case_sensitive?', 'attribute?']);
    const get = getter(attribute, context);
    const key = (item: Value): Value => (truth(caseSensitive ?? false) ? get(item) : foldCase(get(item)));
    const [first, ...rest] = iterate(value, context.budget);
    if (first === undefined) return new Undefined('None');
    return rest.reduce((best, item) => (sign * order(key(item), key(best)) > 0 ? item : best), first);
  };

const unique: Filter = (value, args, context) => {
  const [caseSensitive, attribute] = bind('unique', args, ['case_sensitive?', 'attribute?']);
  const get = getter(attribute, context);
  const seen = new Dict();
  const kept = iterate(value, context.budget).filter((item) => {
    const key = truth(caseSensitive ?? false) ? get(item) : foldCase(get(item));
    if (seen.get(key) !== undefined) return false;
    seen.set(key, true);
    return true;
  });
  return new List(kept);
};

const sum: Filter = (value, args, context) => {
  const [attribute, start = 0n] = bind('sum', args, ['attribute?', 'start?']);
  const items = iterate(value, context.budget).map(getter(attribute, context));
  return items.reduce((total, item) => arithmetic('+', total, item, context.budget), start);
};

const map: Filter = (value, args, context) => {
  const items = iterate(value, context.budget);
  const path = args.named.get('attribute');
  if (args.positional.length === 0 && path !== undefined) {
    const get = attributeGetter(path, context.budget, args.named.get('default'));
    return new List(items.map(get));
  }
  const [name, ...positional] = args.positional;
  const filter = needText('map', name);
  return new List(items.map((item) => context.filter(filter, item, { positional, named: args.named })));
};

/** `select`, `reject` and their `attr` variants; without a test the truth decides. */
const choosing =
  (keep: boolean, byAttribute: boolean): Filter =>
  (value, { positional }, context) => {
    const rest = [...positional];
    const path = byAttribute ? rest.shift() : undefined;
    if (byAttribute && path === undefined) throw new ValueError('The filter needs the name of an attribute.');
    const get = getter(path, context);
    const [name, ...args] = rest;
    const passes = (item: Value): boolean =>
      name === undefined ? truth(get(item)) : context.test(needText('The filter', name), get(item), args);
    return new List(iterate(value, context.budget).filter((item) => passes(item) === keep));
  };

const groupby: Filter = (value, args, context) => {
  const [attribute, otherwise, caseSensitive] = bind('groupby', args, [
    'attribute',
    'default?',
    'case_sensitive?',
  ]);
  const get = attributeGetter(attribute ?? null, context.budget, otherwise);
  const fold = truth(caseSensitive ?? false) ? (each: Value) => each : foldCase;
  const keyed = iterate(value, context.budget).map((item) => ({
    item,
    key: fold(get(item)),
    shown: get(item),
  }));
  keyed.sort((a, b) => order(a.key, b.key));
  const groups: { key: Value; shown: Value; items: Value[] }[] = [];
  for (const { item, key, shown } of keyed) {
    const last = groups.at(-1);
    if (last !== undefined && equal(last.key, key)) last.items.push(item);
    else groups.push({ key, shown, items: [item] });
  }
  return new List(groups.map(({ shown, items }) => new Tuple([shown, new List(items)], ['grouper', 'list'])));
};

const batch: Filter = (value, args, { budget }) => {
  const [size, fill] = bind('batch', args, ['linecount', 'fill_with?']);
  const count = needCount('batch', size);
  if (count < 1) throw new ValueError('batch needs a positive number.');
  const items = iterate(value, budget);
  const rows: List[] = [];
  for (let at = 0; at < items.length; at += count) rows.push(new List(items.slice(at, at + count)));
  const last = rows.at(-1);
  if (last !== undefined && fill !== undefined && fill !== null) {
    budget.reserveItems(count);
    while (last.items.length < count) last.items.push(fill);
  }
  return new List(rows);
};

const slice: Filter = (value, args, { budget }) => {
  const [number, fill] = bind('slice', args, ['slices', 'fill_with?']);
  const count = needCount('slice', number);
  if (count < 1) throw new ValueError('slice needs a positive number.');
  budget.reserveItems(count);
  const items = iterate(value, budget);
  const size = Math.floor(items.length / count);
  const longer = items.length % count;
  let at = 0;
  return new List(
    Array.from({ length: count }, (_, index) => {
      const column = items.slice(at, at + size + (index < longer ? 1 : 0));
      at += column.length;
      if (fill !== undefined && fill !== null && longer > 0 && index >= longer) column.push(fill);
      return new List(column);
    }),
  );
};

const dictsort: Filter = (value, args) => {
  const [caseSensitive, by, reverse] = bind('dictsort', args, ['case_sensitive?', 'by?', 'reverse?']);
  const index = needText('dictsort', by, 'key') === 'value' ? 1 : 0;
  const fold = truth(caseSensitive ?? false) ? (each: Value) => each : foldCase;
  const sign = truth(reverse ?? false) ? -1 : 1;
  const sorted = pairs(value).sort((a, b) => sign * order(fold(a[index]), fold(b[index])));
  return new List(sorted.map((pair) => new Tuple(pair)));
};

function pairs(value: Value): [Value, Value][] {
  if (value instanceof Dict) return value.pairs;
  throw new ValueError('The filter needs a mapping.');
}

/** The first or last item of an empty list is not defined. */
function end(item: Value | undefined): Value {
  return item === undefined ? new Undefined('None') : item;
}

const none = (name: string, work: (value: Value, context: FilterContext) => Value): Filter => {
  return (value, args: CallArgs, context) => {
    bind(name, args, []);
    return work(value, context);
  };
};

/** Filters on lists and mappings. */
export const LIST_FILTERS: Readonly<Record<string, Filter>> = {
  join,
  sort,
  min: extreme('min', -1),
  max: extreme('max', 1),
  unique,
  sum,
  map,
  select: choosing(true, false),
  reject: choosing(false, false),
  selectattr: choosing(true, true),
  rejectattr: choosing(false, true),
  groupby,
  batch,
  slice,
  dictsort,
  items: none('items', (value) =>
    value instanceof Undefined ? new List([]) : new List(pairs(value).map((pair) => new Tuple(pair))),
  ),
  list: none('list', (value, { budget }) => new List(iterate(value, budget))),
  first: none('first', (value, { budget }) => end(iterate(value, budget)[0])),
  last: none('last', (value, { budget }) => end(iterate(defined(value), budget).at(-1))),
  length: none('length', (value) => BigInt(lengthOf(value))),
  count: none('count', (value) => BigInt(lengthOf(value))),
  reverse: none('reverse', (value, { budget }) =>
    typeof value === 'string'
      ? characters(value).reverse().join('')
      : new List(iterate(value, budget).reverse()),
  ),
};
