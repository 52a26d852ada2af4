import { toNumber } from '../values/arithmetic.ts';
import { isNumeric } from '../values/compare.ts';
import { bind, needCount, needText } from '../values/signature.ts';
import { Dict, defined, str, truth, Undefined, type Value, ValueError } from '../values/values.ts';
import { attr, type Filter } from './filter-context.ts';

const otherwise: Filter = (value, args) => {
  const [fallback = '', boolean] = bind('default', args, ['default_value?', 'boolean?']);
  return value instanceof Undefined || (truth(boolean ?? false) && !truth(value)) ? fallback : value;
};

const int: Filter = (value, args) => {
  const [fallback = 0n, base] = bind('int', args, ['default?', 'base?']);
  defined(value);
  if (typeof value === 'number') return Number.isFinite(value) ? BigInt(Math.trunc(value)) : fallback;
  if (isNumeric(value)) return toNumber(value);
  if (typeof value !== 'string') return fallback;
  return parseInBase(value, needCount('int', base, 10)) ?? parseTruncated(value) ?? fallback;
};

function parseInBase(text: string, base: number): bigint | undefined {
  const match = /^\s*([-+]?)(0[xXoObB])?([0-9a-zA-Z]+(?:_[0-9a-zA-Z]+)*)\s*$/.exec(text);
  if (match === null || text.length > 4300) return undefined;
  const [, sign, prefix = '', digits = ''] = match;
  const implied = { '0x': 16, '0o': 8, '0b': 2 }[prefix.toLowerCase()];
  const radix = base === 0 ? (implied ?? 10) : base;
  if (implied !== undefined && implied !== radix) return undefined;
  let value = 0n;
  for (const digit of digits.replaceAll('_', '')) {
    const weight = Number.parseInt(digit, 36);
    if (Number.isNaN(weight) || weight >= radix) return undefined;
    value = value * BigInt(radix) + BigInt(weight);
  }
  return sign === '-' ? -value : value;
}

function parseTruncated(text: string): bigint | undefined {
  const value = parseFloatStrictly(text);
  return value === undefined || !Number.isFinite(value) ? undefined : BigInt(Math.trunc(value));
}

/** Python's `float(text)`. */
function parseFloatStrictly(text: string): number | undefined {
  const bare = text.trim().replaceAll('_', '');
  if (/^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/.test(bare)) return Number(bare);
  if (/^[-+]?nan$/i.test(bare)) return Number.NaN;
  if (/^[-+]?inf(?:inity)?$/i.test(bare))
    return bare.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return undefined;
}

const float: Filter = (value, args) => {
  const [fallback = 0] = bind('float', args, ['default?']);
  defined(value);
  if (isNumeric(value)) return Number(value);
  return typeof value === 'string' ? (parseFloatStrictly(value) ?? fallback) : fallback;
};

const round: Filter = (value, args) => {
  const [precision, method] = bind('round', args, ['precision?', 'method?']);
  const digits = needCount('round', precision, 0);
  const how = needText('round', method, 'common');
  if (!isNumeric(value) || Math.abs(digits) > 300) throw new ValueError('round needs a number.');
  if (!['common', 'ceil', 'floor'].includes(how))
    throw new ValueError('The method of round must be common, ceil or floor.');
  if (how === 'common') return typeof value === 'number' ? halfEven(value, digits) : toNumber(value);
  const scale = 10 ** digits;
  return (how === 'ceil' ? Math.ceil(Number(value) * scale) : Math.floor(Number(value) * scale)) / scale;
};

/** Python's `round`: to even on a tie that is exact in binary; `toFixed` works on the exact value too. */
function halfEven(value: number, digits: number): number {
  if (digits > 0) return digits > 100 ? value : Number(value.toFixed(digits));
  const scale = 10 ** -digits;
  const scaled = value / scale;
  const floor = Math.floor(scaled);
  const tie = scaled - floor === 0.5;
  return (tie ? (floor % 2 === 0 ? floor : floor + 1) : Math.round(scaled)) * scale;
}

function xmlattr(value: Value): string {
  if (!(value instanceof Dict)) throw new ValueError('xmlattr needs a mapping.');
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    "'": '&#39;',
    '"': '&#34;',
  };
  const shown = value.pairs.filter(([, item]) => item !== null && !(item instanceof Undefined));
  return shown
    .map(([key, item]) => ` ${str(key)}="${str(item).replace(/[&<>'"]/g, (each) => entities[each] ?? each)}"`)
    .join('');
}

/** Filters on single values. */
export const VALUE_FILTERS: Readonly<Record<string, Filter>> = {
  default: otherwise,
  d: otherwise,
  int,
  float,
  round,
  abs: (value) => {
    defined(value);
    if (!isNumeric(value)) throw new ValueError('abs needs a number.');
    const number = toNumber(value);
    return typeof number === 'bigint' ? (number < 0n ? -number : number) : Math.abs(number);
  },
  attr: (value, args, { budget }) => attr(value, needText('attr', bind('attr', args, ['name'])[0]), budget),
  xmlattr: (value) => xmlattr(value),
};
