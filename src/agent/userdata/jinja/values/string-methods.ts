import type { Budget } from '../budget.ts';
import { formatBraces } from '../format-braces.ts';
import { iterate } from './arithmetic.ts';
import { bind, needCount, needText } from './signature.ts';
import { type CallArgs, characters, List, Tuple, type Value, ValueError } from './values.ts';

/** What methods need besides their arguments. */
export interface Context {
  budget: Budget;
  member(value: Value, name: string): Value;
}

type Method = (text: string, args: CallArgs, context: Context) => Value;

const simple =
  (name: string, work: (text: string) => Value): Method =>
  (text, args) => {
    bind(name, args, []);
    return work(text);
  };

const stripping =
  (name: string, start: boolean, end: boolean): Method =>
  (text, args) => {
    const [chars] = bind(name, args, ['chars?']);
    return strip(text, chars === null || chars === undefined ? undefined : needText(name, chars), start, end);
  };

/** Python's `strip`: white space, or any of the given characters. */
export function strip(text: string, chars: string | undefined, start = true, end = true): string {
  const list = characters(text);
  const drop = (character: string | undefined): boolean =>
    character !== undefined && (chars === undefined ? /^\s$/.test(character) : chars.includes(character));
  let from = 0;
  let to = list.length;
  while (start && from < to && drop(list[from])) from += 1;
  while (end && to > from && drop(list[to - 1])) to -= 1;
  return list.slice(from, to).join('');
}

const affix =
  (name: string, test: (text: string, part: string) => boolean): Method =>
  (text, args) => {
    const [part, start, stop] = bind(name, args, ['prefix', 'start?', 'end?']);
    const section = window(name, text, start, stop);
    const parts = part instanceof Tuple ? [...part.items] : [part];
    return parts.some((each) => test(section, needText(name, each)));
  };

function window(name: string, text: string, start: Value | undefined, stop: Value | undefined): string {
  if (start === undefined && stop === undefined) return text;
  const list = characters(text);
  const from = start === undefined || start === null ? 0 : needCount(name, start);
  return list.slice(from, stop === undefined || stop === null ? undefined : needCount(name, stop)).join('');
}

const finding =
  (name: string, last: boolean, strict: boolean): Method =>
  (text, args) => {
    const [part] = bind(name, args, ['sub']);
    const needle = needText(name, part);
    const at = last ? text.lastIndexOf(needle) : text.indexOf(needle);
    if (at === -1 && strict) throw new ValueError(`${name}: the substring is not there.`);
    return at === -1 ? -1n : BigInt(characters(text.slice(0, at)).length);
  };

const justify =
  (name: string, place: (missing: number, fill: string, text: string) => string): Method =>
  (text, args, { budget }) => {
    const [width, fill] = bind(name, args, ['width', 'fillchar?']);
    const missing = needCount(name, width) - characters(text).length;
    if (missing <= 0) return text;
    budget.reserve(missing);
    return place(missing, needText(name, fill, ' '), text);
  };

const splitting =
  (name: string, fromRight: boolean): Method =>
  (text, args, { budget }) => {
    const [separator, limit] = bind(name, args, ['sep?', 'maxsplit?']);
    const max = needCount(name, limit, -1);
    const sep = separator === undefined || separator === null ? undefined : needText(name, separator);
    if (sep === '') throw new ValueError(`${name}: the separator is empty.`);
    const parts = fromRight ? splitRight(text, sep, max) : splitLeft(text, sep, max);
    return new List(budget.items(parts));
  };

function splitLeft(text: string, sep: string | undefined, max: number): string[] {
  if (sep === undefined) {
    const words: string[] = [];
    let rest = text.trimStart();
    while (rest !== '') {
      const gap = max >= 0 && words.length >= max ? -1 : rest.search(/\s/);
      if (gap === -1) {
        words.push(max >= 0 && words.length >= max ? rest : rest.trimEnd());
        break;
      }
      words.push(rest.slice(0, gap));
      rest = rest.slice(gap).trimStart();
    }
    return words;
  }
  const parts = text.split(sep);
  return max < 0 || parts.length <= max + 1 ? parts : [...parts.slice(0, max), parts.slice(max).join(sep)];
}

function splitRight(text: string, sep: string | undefined, max: number): string[] {
  const glue = sep ?? ' ';
  const parts = sep === undefined ? splitLeft(text, undefined, -1) : text.split(sep);
  if (max < 0 || parts.length <= max + 1) return parts;
  const head = parts.length - max;
  if (sep === undefined) {
    const reversed = splitLeft(characters(text).reverse().join(''), undefined, max);
    return reversed.map((part) => characters(part).reverse().join('')).reverse();
  }
  return [parts.slice(0, head).join(glue), ...parts.slice(head)];
}

const partition =
  (name: string, last: boolean): Method =>
  (text, args) => {
    const [separator] = bind(name, args, ['sep']);
    const sep = needText(name, separator);
    const at = last ? text.lastIndexOf(sep) : text.indexOf(sep);
    if (sep === '') throw new ValueError(`${name}: the separator is empty.`);
    if (at === -1) return new Tuple(last ? ['', '', text] : [text, '', '']);
    return new Tuple([text.slice(0, at), sep, text.slice(at + sep.length)]);
  };

/** Each word's first letter in upper case, words being runs of letters (Python's `str.title`). */
function title(text: string): string {
  return text.replace(/\p{L}+/gu, (word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase());
}

export function capitalize(text: string): string {
  const [first = '', ...rest] = characters(text);
  return first.toUpperCase() + rest.join('').toLowerCase();
}

export function replaceText(text: string, from: string, to: string, count: number, budget: Budget): string {
  const pieces = from === '' ? ['', ...characters(text), ''] : text.split(from);
  const limit = count < 0 ? pieces.length - 1 : Math.min(count, pieces.length - 1);
  budget.reserve(text.length + limit * to.length);
  return (
    pieces.slice(0, limit + 1).join(to) +
    pieces
      .slice(limit + 1)
      .map((piece) => from + piece)
      .join('')
  );
}

/** V8 takes a tenth of a millisecond for each pattern of Unicode's classes, so they are made when they are asked for. */
const is = (name: string, pattern: () => RegExp): Method => simple(name, (text) => pattern().test(text));

/** Methods of strings. */
export const STRING_METHODS: Readonly<Record<string, Method>> = {
  upper: simple('upper', (text) => text.toUpperCase()),
  lower: simple('lower', (text) => text.toLowerCase()),
  casefold: simple('casefold', (text) => text.toLowerCase().replaceAll('ß', 'ss')),
  title: simple('title', title),
  capitalize: simple('capitalize', capitalize),
  swapcase: simple('swapcase', (text) =>
    characters(text)
      .map((each) => (each === each.toUpperCase() ? each.toLowerCase() : each.toUpperCase()))
      .join(''),
  ),
  strip: stripping('strip', true, true),
  lstrip: stripping('lstrip', true, false),
  rstrip: stripping('rstrip', false, true),
  startswith: affix('startswith', (text, part) => text.startsWith(part)),
  endswith: affix('endswith', (text, part) => text.endsWith(part)),
  find: finding('find', false, false),
  rfind: finding('rfind', true, false),
  index: finding('index', false, true),
  rindex: finding('rindex', true, true),
  count: (text, args) => {
    const [part] = bind('count', args, ['sub']);
    const needle = needText('count', part);
    return BigInt(needle === '' ? characters(text).length + 1 : text.split(needle).length - 1);
  },
  replace: (text, args, { budget }) => {
    const [from, to, count] = bind('replace', args, ['old', 'new', 'count?']);
    return replaceText(
      text,
      needText('replace', from),
      needText('replace', to),
      needCount('replace', count, -1),
      budget,
    );
  },
  split: splitting('split', false),
  rsplit: splitting('rsplit', true),
  splitlines: (text, args, { budget }) => {
    const [keep] = bind('splitlines', args, ['keepends?']);
    const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
    return new List(budget.items(keep === true ? [...lines] : lines.map((line) => line.replace(/\n$/, ''))));
  },
  partition: partition('partition', false),
  rpartition: partition('rpartition', true),
  join: (text, args, { budget }) => {
    const [items] = bind('join', args, ['iterable']);
    const parts = iterate(items ?? null, budget).map((item) => needText('join', item));
    budget.reserve(parts.reduce((sum, part) => sum + part.length + text.length, 0));
    return parts.join(text);
  },
  zfill: justify('zfill', (missing, _fill, text) => text.replace(/^([-+]?)/, `$1${'0'.repeat(missing)}`)),
  ljust: justify('ljust', (missing, fill, text) => text + fill.repeat(missing)),
  rjust: justify('rjust', (missing, fill, text) => fill.repeat(missing) + text),
  center: justify('center', center),
  removeprefix: (text, args) => {
    const part = needText('removeprefix', bind('removeprefix', args, ['prefix'])[0]);
    return text.startsWith(part) ? text.slice(part.length) : text;
  },
  removesuffix: (text, args) => {
    const part = needText('removesuffix', bind('removesuffix', args, ['suffix'])[0]);
    return part !== '' && text.endsWith(part) ? text.slice(0, -part.length) : text;
  },
  isdigit: is('isdigit', () => /^\p{Nd}+$/u),
  isdecimal: is('isdecimal', () => /^\p{Nd}+$/u),
  isnumeric: is('isnumeric', () => /^\p{N}+$/u),
  isalpha: is('isalpha', () => /^\p{L}+$/u),
  isalnum: is('isalnum', () => /^[\p{L}\p{N}]+$/u),
  isspace: is('isspace', () => /^\s+$/u),
  isascii: is('isascii', () => /^\p{ASCII}*$/u),
  islower: simple('islower', (text) => text === text.toLowerCase() && text !== text.toUpperCase()),
  isupper: simple('isupper', (text) => text === text.toUpperCase() && text !== text.toLowerCase()),
  format: (text, args, { budget, member }) => formatBraces(text, args, member, budget),
};

/** Python puts the odd space of an odd gap left when the width is odd. */
export function center(missing: number, fill: string, text: string): string {
  const width = missing + characters(text).length;
  const left = Math.floor(missing / 2) + (missing & width & 1);
  return fill.repeat(left) + text + fill.repeat(missing - left);
}
