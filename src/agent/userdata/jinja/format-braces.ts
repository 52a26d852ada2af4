import type { Budget } from './budget.ts';
import { alternate, fixedFloat } from './format-number.ts';
import { isNumeric } from './values/compare.ts';
import { type CallArgs, repr, str, typeName, type Value, ValueError } from './values/values.ts';

const PLACE =
  /\{\{|\}\}|\{(?<name>[^{}!:.[]*)(?<path>(?:\.[^{}!:.[]+|\[[^\]{}]+\])*)(?:!(?<conversion>[rsa]))?(?::(?<spec>[^{}]*))?\}|[{}]/g;

/** Python's `text.format(...)`, without nested places. `member` looks up `.name` and `[key]` behind a place. */
export function formatBraces(
  text: string,
  args: CallArgs,
  member: (value: Value, name: string) => Value,
  budget: Budget,
): string {
  let automatic = 0;
  const result = text.replace(PLACE, (...match) => {
    const whole = String(match[0]);
    if (whole === '{{' || whole === '}}') return whole.slice(1);
    if (whole === '{' || whole === '}')
      throw new ValueError('A brace in the format is not closed; write {{ for a brace.');
    const groups = match.at(-1) as Record<'name' | 'path' | 'conversion' | 'spec', string | undefined>;
    const name = groups.name ?? '';
    let value =
      name === ''
        ? args.positional[automatic++]
        : /^\d+$/.test(name)
          ? args.positional[Number(name)]
          : args.named.get(name);
    if (value === undefined) throw new ValueError('The format has a place for which there is no value.');
    for (const [, attribute, key] of (groups.path ?? '').matchAll(/\.([^.[]+)|\[([^\]]+)\]/g)) {
      value = member(value, attribute ?? key ?? '');
    }
    if (groups.conversion === 'r' || groups.conversion === 'a') value = repr(value);
    if (groups.conversion === 's') value = str(value);
    return applySpec(value, groups.spec ?? '', budget);
  });
  return budget.text(result);
}

const SPEC =
  /^(?:(?<fill>[\s\S])?(?<align>[<>=^]))?(?<sign>[-+ ])?(?<alt>#)?(?<zero>0)?(?<width>\d+)?(?<group>[,_])?(?:\.(?<precision>\d+))?(?<kind>[bcdeEfFgGnosxX%])?$/u;

function applySpec(value: Value, spec: string, budget: Budget): string {
  if (spec === '') return str(value);
  const groups = SPEC.exec(spec)?.groups;
  if (groups === undefined)
    throw new ValueError('The format has a specification behind : that is not known.');
  const { fill, align, sign, alt, zero, width = '0', group, precision, kind } = groups;
  budget.reserve(Number(width) + Number(precision ?? 0));
  const numeric = isNumeric(value) && kind !== 's';
  const digits = precision === undefined ? undefined : Number(precision);
  const body = numeric ? number(value, kind, digits, alt === '#', group) : text(value, kind, digits);
  const signed = numeric && !body.startsWith('-') && (sign === '+' || sign === ' ') ? sign + body : body;
  const filling = fill ?? (zero === '0' ? '0' : ' ');
  return aligned(signed, Number(width), filling, align ?? (zero === '0' ? '=' : numeric ? '>' : '<'));
}

function text(value: Value, kind: string | undefined, digits: number | undefined): string {
  if (typeof value !== 'string')
    throw new ValueError(`A format specification does not work for ${typeName(value)}.`);
  if (kind !== undefined && kind !== 's') throw new ValueError('The format needs a number, not a string.');
  return digits === undefined ? value : Array.from(value).slice(0, digits).join('');
}

function number(
  value: boolean | bigint | number,
  kind: string | undefined,
  digits: number | undefined,
  alt: boolean,
  group?: string,
): string {
  const whole = typeof value === 'boolean' ? BigInt(value) : value;
  if (typeof whole === 'bigint' && (kind === undefined || 'dnbcoxX'.includes(kind))) {
    return grouped(
      kind === 'c' ? String.fromCodePoint(Number(whole)) : alternate(whole, kind ?? 'd', alt),
      group,
    );
  }
  if (kind !== undefined && 'dboxXc'.includes(kind)) throw new ValueError('The format needs a whole number.');
  if (kind === '%') return `${fixedFloat(Number(whole) * 100, 'f', digits ?? 6)}%`;
  if (kind === undefined)
    return grouped(digits === undefined ? str(whole) : fixedFloat(Number(whole), 'g', digits), group);
  return grouped(fixedFloat(Number(whole), kind === 'n' ? 'g' : kind, digits ?? 6), group);
}

function grouped(text: string, group: string | undefined): string {
  if (group === undefined) return text;
  const [whole = '', rest] = text.split('.');
  const marked = whole.replace(/\B(?=(?:\d{3})+$)/g, group);
  return rest === undefined ? marked : `${marked}.${rest}`;
}

function aligned(text: string, width: number, fill: string, align: string): string {
  const missing = Math.max(0, width - Array.from(text).length);
  if (align === '<') return text + fill.repeat(missing);
  if (align === '>') return fill.repeat(missing) + text;
  if (align === '^') return fill.repeat(Math.floor(missing / 2)) + text + fill.repeat(Math.ceil(missing / 2));
  const [, sign = '', rest = ''] = /^([-+ ]?(?:0[xXob])?)([\s\S]*)$/.exec(text) ?? [];
  return sign + fill.repeat(missing) + rest;
}
