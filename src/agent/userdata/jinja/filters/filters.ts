import { pythonFloat } from '../../../text/yaml/yaml-node.ts';
import type { Budget } from '../values/budget.ts';
import { orderText } from '../values/compare.ts';
import { iterate, lengthOf } from '../values/iterate.ts';
import { bind, needCount, needText } from '../values/signature.ts';
import { joinTexts, replaceText, strip } from '../values/string-methods.ts';
import { str } from '../values/text.ts';
import {
  bounded,
  type CallArgs,
  Dict,
  defined,
  extent,
  list,
  Sequence,
  truth,
  typeName,
  Undefined,
  type Value,
  ValueError,
} from '../values/values.ts';

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

/**
 * Jinja2's `tojson`: Python's `json.dumps` with sorted keys and ASCII only. `<`, `>`, `&` and `'` become
 * escapes, so that HTML can hold the result. Without `indent`, the result is one line.
 */
function toJson(value: Value, indent: number | undefined): string {
  return dump(bounded(value), indent, 0).replace(/[<>&']/g, (character) => escapeUnit(character));
}

function dump(value: Value, indent: number | undefined, depth: number): string {
  const inner = (each: Value): string => dump(each, indent, depth + 1);
  if (value === null) return 'null';
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'bigint') return str(value);
  if (typeof value === 'number') return Number.isFinite(value) ? pythonFloat(value) : notFinite(value);
  if (typeof value === 'string') return text(value);
  if (value instanceof Sequence && (value.kind === 'list' || value.kind === 'tuple'))
    return enclose('[', value.items.map(inner), ']', indent, depth);
  if (value instanceof Dict) {
    const pairs = value.pairs.map(([key, item]) => [keyText(key), item] as const);
    const sorted = pairs.sort(([a], [b]) => orderText(a, b));
    return enclose(
      '{',
      sorted.map(([key, item]) => `${text(key)}: ${inner(item)}`),
      '}',
      indent,
      depth,
    );
  }
  throw new ValueError(`${typeName(value)} cannot be written as JSON.`);
}

/** A mapping's key; Python sorts only keys of one type. */
function keyText(key: Value): string {
  if (typeof key === 'string') return key;
  throw new ValueError('tojson needs a mapping whose keys are strings.');
}

function notFinite(value: number): string {
  return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
}

function enclose(
  open: string,
  items: string[],
  close: string,
  indent: number | undefined,
  depth: number,
): string {
  if (items.length === 0) return open + close;
  if (indent === undefined) return `${open}${items.join(', ')}${close}`;
  const pad = ' '.repeat(indent * (depth + 1));
  return `${open}\n${items.map((item) => pad + item).join(',\n')}\n${' '.repeat(indent * depth)}${close}`;
}

function text(value: string): string {
  return JSON.stringify(value).replace(/[\u007f-\uffff]/g, (character) => escapeUnit(character));
}

function escapeUnit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Python refuses integers with more digits. */
const MAX_DIGITS = 4300;

/** The filter `int`: Python's `int(value)`, else the part before the point, else the default. */
function int(value: Value, args: CallArgs): Value {
  const [fallback = 0n] = bind('int', args, ['default?']);
  defined(value);
  if (typeof value === 'bigint') return value;
  if (typeof value === 'boolean') return BigInt(value);
  if (typeof value === 'string') return parse(value.trim()) ?? fallback;
  return typeof value === 'number' && Number.isFinite(value) ? BigInt(Math.trunc(value)) : fallback;
}

function parse(text: string): bigint | undefined {
  // Python accepts digits of every script, and does not treat a byte order mark as white space.
  if (/[^\x20-\x7e]/.test(text)) throw new ValueError('int needs a string of digits.');
  const digits = text.replace(/(?<=\d)_(?=\d)/g, '');
  if (/^[-+]?\d+$/.test(digits) && digits.length <= MAX_DIGITS) return BigInt(digits.replace('+', ''));
  if (!/^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/.test(digits)) return undefined;
  const number = Number(digits);
  return Number.isFinite(number) ? BigInt(Math.trunc(number)) : undefined;
}
