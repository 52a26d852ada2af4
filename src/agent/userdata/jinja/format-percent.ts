import type { Budget } from './budget.ts';
import { alternate, fixedFloat, pad } from './format-number.ts';
import { isNumeric } from './values/compare.ts';
import { characters, Dict, repr, str, Tuple, typeName, type Value, ValueError } from './values/values.ts';

const DIRECTIVE =
  /%(?:\((?<key>[^)]*)\))?(?<flags>[-+ #0]*)(?<width>\*|\d+)?(?:\.(?<precision>\*|\d+)?)?[hlL]?(?<kind>[a-zA-Z%]?)/g;

/** Python's `text % values`. Throws `ValueError` where Python does. */
export function formatPercent(text: string, values: Value, budget: Budget): string {
  const list = values instanceof Tuple ? [...values.items] : [values];
  let used = 0;
  const next = (): Value => {
    const value = list[used];
    used += 1;
    if (value === undefined) throw new ValueError('There are fewer values than the format has places.');
    return value;
  };
  const result = text.replace(DIRECTIVE, (...match) => {
    const groups = match.at(-1) as Record<
      'key' | 'flags' | 'width' | 'precision' | 'kind',
      string | undefined
    >;
    const kind = groups.kind ?? '';
    if (kind === '%') return '%';
    const width = groups.width === '*' ? Number(str(next())) : Number(groups.width ?? 0);
    const dot = match[0].includes('.') && groups.precision === undefined ? 0 : undefined;
    const precision =
      groups.precision === '*'
        ? Number(str(next()))
        : groups.precision === undefined
          ? dot
          : Number(groups.precision);
    const value = groups.key === undefined ? next() : keyed(values, groups.key);
    budget.reserve(Math.abs(width) + (precision ?? 0));
    return pad(convert(kind, value, groups.flags ?? '', precision), width, groups.flags ?? '', kind);
  });
  const mapping = values instanceof Dict;
  if (used < list.length && !mapping)
    throw new ValueError('There are more values than the format has places.');
  return budget.text(result);
}

function keyed(values: Value, key: string): Value {
  const value = values instanceof Dict ? values.get(key) : undefined;
  if (value === undefined) throw new ValueError('The format names a key that the values do not have.');
  return value;
}

function convert(kind: string, value: Value, flags: string, precision: number | undefined): string {
  switch (kind) {
    case 's':
      return cut(str(value), precision);
    case 'r':
    case 'a':
      return cut(repr(value), precision);
    case 'c':
      return typeof value === 'bigint' ? String.fromCodePoint(Number(value)) : str(value);
    case 'd':
    case 'i':
    case 'u':
      return signed(whole(value, kind).toString(), flags, precision);
    case 'x':
    case 'X':
    case 'o':
      return signed(alternate(whole(value, kind), kind, flags.includes('#')), flags, precision);
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
      return signed(fixedFloat(real(value, kind), kind, precision ?? 6), flags);
    default:
      throw new ValueError(
        'The format has a place of an unknown kind, or a single %; write %% for a per cent sign.',
      );
  }
}

function cut(text: string, precision: number | undefined): string {
  return precision === undefined ? text : characters(text).slice(0, precision).join('');
}

function whole(value: Value, kind: string): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'boolean') return BigInt(value);
  if (typeof value === 'number' && Number.isFinite(value) && 'diu'.includes(kind))
    return BigInt(Math.trunc(value));
  throw new ValueError(`%${kind} needs a whole number, not ${typeName(value)}.`);
}

function real(value: Value, kind: string): number {
  if (isNumeric(value)) return Number(value);
  throw new ValueError(`%${kind} needs a number, not ${typeName(value)}.`);
}

function signed(text: string, flags: string, digits?: number): string {
  const negative = text.startsWith('-');
  const bare = negative ? text.slice(1) : text;
  const long = digits === undefined ? bare : bare.padStart(digits, '0');
  return `${negative ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : ''}${long}`;
}
