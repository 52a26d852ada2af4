import type { Budget } from '../values/budget.ts';
import { iterate, lengthOf } from '../values/iterate.ts';
import { bind, needCount, needText } from '../values/signature.ts';
import { joinTexts, replaceText, strip } from '../values/string-methods.ts';
import { str } from '../values/text.ts';
import { type CallArgs, defined, extent, list, truth, Undefined, type Value } from '../values/values.ts';
import { int } from './int.ts';
import { toJson } from './to-json.ts';

type Filter = (value: Value, args: CallArgs, budget: Budget) => Value;

/** A filter without arguments. */
const bare =
  (name: string, work: (value: Value, budget: Budget) => Value): Filter =>
  (value, args, budget) => {
    bind(name, args, []);
    return work(value, budget);
  };

const otherwise: Filter = (value, args) => {
  const [fallback = '', boolean] = bind('default', args, ['default_value?', 'boolean?']);
  return value instanceof Undefined || (truth(boolean ?? false) && !truth(value)) ? fallback : value;
};

const length = bare('length', (value) => BigInt(lengthOf(value)));

/** The characters at which Python's `splitlines` splits. */
const BREAKS = '\\n-\\r\\x1c-\\x1e\\x85\\u2028\\u2029';
const LINE_BREAK = new RegExp(`\\r\\n|[${BREAKS}]`);

const indent: Filter = (value, args, budget) => {
  const [width = 4n, first, blank] = bind('indent', args, ['width?', 'first?', 'blank?']);
  const prefix =
    typeof width === 'string' ? width : ' '.repeat(Math.max(0, Math.min(needCount('indent', width), 1000)));
  const lines = str(value).split(LINE_BREAK);
  budget.reserve(lines.length * prefix.length);
  const indented = lines.map((line, index) => {
    const skipped = index === 0 ? !truth(first ?? false) : line === '' && !truth(blank ?? false);
    return skipped ? line : prefix + line;
  });
  return indented.join('\n');
};

const replace: Filter = (value, args, budget) => {
  const [from, to, count] = bind('replace', args, ['old', 'new', 'count?']);
  const limit = count === null ? -1 : needCount('replace', count, -1);
  return replaceText(str(value), str(from ?? ''), str(to ?? ''), limit, budget);
};

/** The first or last item of an empty list is undefined. */
function present(item: Value | undefined): Value {
  return item === undefined ? new Undefined('None') : item;
}

/** The filters of jinja that user data uses, by name. */
export const FILTERS: Readonly<Record<string, Filter>> = {
  default: otherwise,
  d: otherwise,
  int,
  string: bare('string', str),
  upper: bare('upper', (value) => str(value).toUpperCase()),
  lower: bare('lower', (value) => str(value).toLowerCase()),
  trim: (value, args) => {
    const [chars] = bind('trim', args, ['chars?']);
    return strip(str(value), chars === undefined || chars === null ? undefined : needText('trim', chars));
  },
  replace,
  indent,
  join: (value, args, budget) => {
    const [separator = ''] = bind('join', args, ['d?']);
    return joinTexts(iterate(value, budget).map(str), str(separator), budget);
  },
  list: bare('list', (value, budget) => list(iterate(value, budget))),
  first: bare('first', (value, budget) => present(iterate(value, budget)[0])),
  last: bare('last', (value, budget) => present(iterate(defined(value), budget).at(-1))),
  length,
  count: length,
  tojson: (value, args, budget) => {
    const [spaces = null] = bind('tojson', args, ['indent?']);
    const width = spaces === null ? undefined : Math.min(64, needCount('tojson', spaces));
    const { count, depth } = extent(value);
    budget.reserve(count * depth * (width ?? 0));
    return budget.text(toJson(value, width));
  },
};
