import type { Budget } from './budget.ts';
import { iterate } from './iterate.ts';
import { bind, needCount, needText } from './signature.ts';
import { characters } from './text.ts';
import { type CallArgs, list, type Value, ValueError } from './values.ts';

export type Method<T> = (object: T, args: CallArgs, budget: Budget) => Value;

/** Python's white space, which differs from JavaScript's. */
const SPACE = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const SPACES = new RegExp(`[${SPACE}]+`, 'g');
const LEADING = new RegExp(`^[${SPACE}]+`);
const TRAILING = new RegExp(`[${SPACE}]$`);

const simple =
  (name: string, work: (text: string) => string): Method<string> =>
  (text, args) => {
    bind(name, args, []);
    return work(text);
  };

const stripping =
  (name: string, start: boolean, end: boolean): Method<string> =>
  (text, args) => {
    const [chars] = bind(name, args, ['chars?']);
    return strip(text, chars === null || chars === undefined ? undefined : needText(name, chars), start, end);
  };

/** Python's `strip`: white space, or any of the given characters. */
export function strip(text: string, chars: string | undefined, start = true, end = true): string {
  const all = characters(text);
  const dropped = chars === undefined ? undefined : new Set(characters(chars));
  const drop = (character = ''): boolean => dropped?.has(character) ?? TRAILING.test(character);
  let from = 0;
  let to = all.length;
  while (start && from < to && drop(all[from])) from += 1;
  while (end && to > from && drop(all[to - 1])) to -= 1;
  return all.slice(from, to).join('');
}

const affix =
  (name: string, test: (text: string, part: string) => boolean): Method<string> =>
  (text, args) =>
    test(text, needText(name, bind(name, args, ['prefix'])[0]));

const removing =
  (name: string, remove: (text: string, part: string) => string): Method<string> =>
  (text, args) =>
    remove(text, needText(name, bind(name, args, ['affix'])[0]));

const splitting =
  (name: string, split: (text: string, sep: string | undefined, max: number) => string[]): Method<string> =>
  (text, args, budget) => {
    const [separator, limit] = bind(name, args, ['sep?', 'maxsplit?']);
    const max = needCount(name, limit, -1);
    const sep = separator === undefined || separator === null ? undefined : needText(name, separator);
    if (sep === '') throw new ValueError(`${name}: the separator is empty.`);
    return list(budget.items(split(text, sep, max)));
  };

function splitLeft(text: string, sep: string | undefined, max: number): string[] {
  if (sep === undefined) return splitWords(text, max);
  const parts = text.split(sep);
  return max < 0 || parts.length <= max + 1 ? parts : [...parts.slice(0, max), parts.slice(max).join(sep)];
}

/** When the limit stops the splitting, the last piece keeps the white space at its end. */
function splitWords(text: string, max: number): string[] {
  const words: string[] = [];
  const rest = text.replace(LEADING, '');
  let from = 0;
  for (const gap of rest.matchAll(SPACES)) {
    if (max >= 0 && words.length >= max) break;
    words.push(rest.slice(from, gap.index));
    from = gap.index + gap[0].length;
  }
  return from < rest.length ? [...words, rest.slice(from)] : words;
}

function splitRight(text: string, sep: string | undefined, max: number): string[] {
  if (sep === undefined) {
    const turn = (each: string): string => characters(each).reverse().join('');
    return splitWords(turn(text), max).map(turn).reverse();
  }
  const parts = text.split(sep);
  const head = parts.length - max;
  return max < 0 || head <= 1 ? parts : [parts.slice(0, head).join(sep), ...parts.slice(head)];
}

/** Python's `replace`; a negative count means all. */
export function replaceText(text: string, from: string, to: string, count: number, budget: Budget): string {
  const pieces = from === '' ? ['', ...characters(text), ''] : text.split(from);
  const limit = count < 0 ? pieces.length - 1 : Math.min(count, pieces.length - 1);
  budget.reserve(text.length + limit * to.length);
  return [pieces.slice(0, limit + 1).join(to), ...pieces.slice(limit + 1)].join(from);
}

/** Methods of strings. */
export const STRING_METHODS: Readonly<Record<string, Method<string>>> = {
  upper: simple('upper', (text) => text.toUpperCase()),
  lower: simple('lower', (text) => text.toLowerCase()),
  strip: stripping('strip', true, true),
  lstrip: stripping('lstrip', true, false),
  rstrip: stripping('rstrip', false, true),
  startswith: affix('startswith', (text, part) => text.startsWith(part)),
  endswith: affix('endswith', (text, part) => text.endsWith(part)),
  removeprefix: removing('removeprefix', (text, part) =>
    text.startsWith(part) ? text.slice(part.length) : text,
  ),
  removesuffix: removing('removesuffix', (text, part) =>
    text.endsWith(part) ? text.slice(0, text.length - part.length) : text,
  ),
  replace: (text, args, budget) => {
    const [from, to, count] = bind('replace', args, ['old', 'new', 'count?']);
    const [old, fresh] = [needText('replace', from), needText('replace', to)];
    return replaceText(text, old, fresh, needCount('replace', count, -1), budget);
  },
  split: splitting('split', splitLeft),
  rsplit: splitting('rsplit', splitRight),
  join: (text, args, budget) => {
    const [items] = bind('join', args, ['iterable']);
    const parts = iterate(items ?? null, budget).map((item) => needText('join', item));
    return joinTexts(parts, text, budget);
  },
};

export function joinTexts(parts: readonly string[], glue: string, budget: Budget): string {
  budget.reserve(parts.reduce((sum, part) => sum + part.length + glue.length, 0));
  return parts.join(glue);
}
