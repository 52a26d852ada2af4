import { formatPercent } from '../format-percent.ts';
import { iterate } from '../values/arithmetic.ts';
import { bind, needCount, needText } from '../values/signature.ts';
import { capitalize, center, replaceText, strip } from '../values/string-methods.ts';
import { toJson } from '../values/to-json.ts';
import { characters, Dict, str, Tuple, truth, type Value, ValueError } from '../values/values.ts';
import type { Filter } from './filter-context.ts';

const plain =
  (work: (text: string) => Value): Filter =>
  (value, args) => {
    bind('The filter', args, []);
    return work(str(value));
  };

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  "'": '&#39;',
  '"': '&#34;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>'"]/g, (character) => ENTITIES[character] ?? character);
}

/** Words begin after these characters for the filter (not for the method) `title`. */
function titleWords(text: string): string {
  return text
    .split(/([-\s({[<]+)/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase())
    .join('');
}

function quoteUrl(text: string, safe: RegExp): string {
  const bytes = Buffer.from(text, 'utf8');
  return Array.from(bytes, (byte) => {
    const character = String.fromCharCode(byte);
    return safe.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}

const urlencode: Filter = (value, _args, { budget }) => {
  const encode = (item: Value): string => quoteUrl(str(item), /[A-Za-z0-9_.~-]/).replaceAll('%20', '+');
  const pairs = value instanceof Dict ? value.pairs : undefined;
  if (pairs !== undefined) return pairs.map(([key, item]) => `${encode(key)}=${encode(item)}`).join('&');
  if (typeof value === 'string' || !(value instanceof Tuple)) return quoteUrl(str(value), /[A-Za-z0-9_.~/-]/);
  return iterate(value, budget)
    .map((pair) => iterate(pair, budget).map(encode).join('='))
    .join('&');
};

const indent: Filter = (value, args, { budget }) => {
  const [width = 4n, first, blank] = bind('indent', args, ['width?', 'first?', 'blank?']);
  const prefix =
    typeof width === 'string' ? width : ' '.repeat(Math.max(0, Math.min(needCount('indent', width), 1000)));
  const lines = str(value).split('\n');
  budget.reserve(lines.length * prefix.length);
  return lines
    .map((line, index) => {
      const skipped =
        (index === 0 && !truth(first ?? false)) || (line === '' && !truth(blank ?? false) && index > 0);
      return skipped ? line : prefix + line;
    })
    .join('\n');
};

const truncate: Filter = (value, args) => {
  const [length, killWords, end, leeway] = bind('truncate', args, [
    'length?',
    'killwords?',
    'end?',
    'leeway?',
  ]);
  const limit = needCount('truncate', length, 255);
  const tail = needText('truncate', end, '...');
  const text = characters(str(value));
  if (text.length <= limit + needCount('truncate', leeway, 5)) return text.join('');
  const cut = text.slice(0, Math.max(0, limit - characters(tail).length)).join('');
  const space = cut.lastIndexOf(' ');
  return (truth(killWords ?? false) || space === -1 ? cut : cut.slice(0, space)) + tail;
};

const wordwrap: Filter = (value, args) => {
  const [width, breakLong, wrap] = bind('wordwrap', args, ['width?', 'break_long_words?', 'wrapstring?']);
  const limit = needCount('wordwrap', width, 79);
  if (limit < 1) throw new ValueError('wordwrap needs a positive width.');
  const long = breakLong === undefined || truth(breakLong);
  const lines = str(value)
    .split('\n')
    .map((line) => wrapLine(line, limit, long).join(needText('wordwrap', wrap, '\n')));
  return lines.join(needText('wordwrap', wrap, '\n'));
};

function wrapLine(line: string, limit: number, breakLong: boolean): string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(/(\s+)/)) {
    if ((current + word).length > limit && current.trim() !== '') {
      lines.push(current.trimEnd());
      current = '';
    }
    if (current === '' && lines.length > 0 && word.trim() === '') continue;
    current += word;
    while (breakLong && current.length > limit && current.trim() !== '') {
      lines.push(current.slice(0, limit));
      current = current.slice(limit);
    }
  }
  if (current.trim() !== '' || lines.length === 0) lines.push(current.trimEnd());
  return lines;
}

const filesizeformat: Filter = (value, args) => {
  const [binary] = bind('filesizeformat', args, ['binary?']);
  const base = truth(binary ?? false) ? 1024 : 1000;
  const bytes = Number(str(value));
  if (!Number.isFinite(bytes)) throw new ValueError('filesizeformat needs a number.');
  if (bytes === 1) return '1 Byte';
  if (bytes < base) return `${Math.trunc(bytes)} Bytes`;
  const units =
    base === 1024
      ? ['KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB', 'ZiB', 'YiB']
      : ['kB', 'MB', 'GB', 'TB', 'PB', 'EB', 'ZB', 'YB'];
  const power = Math.min(units.length, Math.floor(Math.log(bytes) / Math.log(base)));
  return `${(bytes / base ** power).toFixed(1)} ${units[power - 1]}`;
};

/** Filters that make text. */
export const TEXT_FILTERS: Readonly<Record<string, Filter>> = {
  upper: plain((text) => text.toUpperCase()),
  lower: plain((text) => text.toLowerCase()),
  capitalize: plain(capitalize),
  title: plain(titleWords),
  string: plain((text) => text),
  safe: plain((text) => text),
  escape: plain(escapeHtml),
  e: plain(escapeHtml),
  forceescape: plain(escapeHtml),
  striptags: plain((text) =>
    text
      .replace(/<!--[\s\S]*?-->|<[^>]*>/g, '')
      .split(/\s+/)
      .filter(Boolean)
      .join(' '),
  ),
  wordcount: plain((text) => BigInt(text.match(/[\p{L}\p{N}_]+/gu)?.length ?? 0)),
  trim: (value, args) => {
    const [chars] = bind('trim', args, ['chars?']);
    return strip(str(value), chars === undefined || chars === null ? undefined : needText('trim', chars));
  },
  replace: (value, args, { budget }) => {
    const [from, to, count] = bind('replace', args, ['old', 'new', 'count?']);
    return replaceText(
      str(value),
      str(from ?? ''),
      str(to ?? ''),
      count === null ? -1 : needCount('replace', count, -1),
      budget,
    );
  },
  center: (value, args, { budget }) => {
    const text = str(value);
    const missing = needCount('center', bind('center', args, ['width?'])[0], 80) - characters(text).length;
    budget.reserve(Math.max(0, missing));
    return missing <= 0 ? text : center(missing, ' ', text);
  },
  format: (value, { positional, named }, { budget }) => {
    if (positional.length > 0 && named.size > 0)
      throw new ValueError('format takes values with names or without, not both.');
    const dict = new Dict();
    for (const [name, each] of named) dict.set(name, each);
    return formatPercent(str(value), named.size > 0 ? dict : new Tuple(positional), budget);
  },
  tojson: (value, args, { budget }) => {
    const [spaces] = bind('tojson', args, ['indent?']);
    const width =
      spaces === undefined || spaces === null ? undefined : Math.min(64, needCount('tojson', spaces));
    return budget.text(toJson(value, width));
  },
  indent,
  truncate,
  wordwrap,
  urlencode,
  filesizeformat,
};
