import type { Random } from '../random.ts';
import type { Mutation } from './bytes.ts';

/** Values at which numbers, names and types break. */
const LIMITS: readonly string[] = [
  ...['0', '-1', '1', '007', '0x7fffffff', '2147483647', '2147483648', '-2147483649', '4294967296'],
  ...['9007199254740991', '9007199254740993', '18446744073709551616', '1e400', '-1e400', '1e-400', '0.1'],
  ...['NaN', '.nan', '.inf', '-.inf', 'Infinity', '1_000', '1:30:00', '0o777', '+1', '-0', '--1'],
  ...['null', '~', 'true', 'no', 'y', '""', "''", '{}', '[]', '[[]]', '[{}]', '{"": null}', '[null]', '" "'],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'length'],
  ...['"__proto__"', '{"__proto__": {"polluted": 1}}', '{"constructor": {"prototype": {"polluted": 1}}}'],
  ...[
    '2001-02-30',
    '2026-11-21T10:30:00Z',
    '0001-01-01',
    '/',
    '..',
    '../../etc/shadow',
    '/dev/null',
    '/proc/self/mem',
  ],
];

/** How far from a place something is looked for. */
const REACH = 4_000;

/** Edits the bytes as text without losing those that are no UTF-8. */
function edit(bytes: Buffer, change: (text: string) => string): Buffer {
  return Buffer.from(change(bytes.toString('latin1')), 'latin1');
}

/** The byte form of a text in the form in which `edit` has it. */
function raw(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** A match somewhere in the text: the first one behind a place of chance, not far from it. */
function matchIn(text: string, random: Random, pattern: RegExp): RegExpExecArray | undefined {
  const from = random.chance(0.2) ? 0 : random.below(text.length + 1);
  const found = pattern.exec(text.slice(from, from + REACH));
  if (found) found.index += from;
  return found ?? undefined;
}

function replaceMatch(text: string, random: Random, pattern: RegExp, put: (match: string) => string): string {
  const match = matchIn(text, random, pattern);
  if (match === undefined) return text;
  return `${text.slice(0, match.index)}${put(match[0])}${text.slice(match.index + match[0].length)}`;
}

function lines(text: string, random: Random, change: (all: string[], at: number) => void): string {
  const all = text.split('\n');
  change(all, random.below(all.length));
  return all.join('\n');
}

const indentOf = (line: string): string => /^[ \t]*/.exec(line)?.[0] ?? '';

/** Edits that know of words, numbers and lines; `words` are those of the format. */
export function textMutations(words: readonly string[]): readonly Mutation[] {
  const some = (random: Random): string =>
    raw(random.chance(0.5) && words.length > 0 ? random.pick(words) : random.pick(LIMITS));
  const whole: readonly Mutation[] = [
    function word(bytes, random) {
      return edit(bytes, (text) => replaceMatch(text, random, /[\w.+-]+/, () => some(random)));
    },
    function number(bytes, random) {
      return edit(bytes, (text) =>
        replaceMatch(text, random, /-?\d+(?:\.\d+)?/, () => raw(random.pick(LIMITS))),
      );
    },
    function quoted(bytes, random) {
      return edit(bytes, (text) => replaceMatch(text, random, /"[^"\n]*"|'[^'\n]*'/, () => some(random)));
    },
    function value(bytes, random) {
      return edit(bytes, (text) => replaceMatch(text, random, /(?<=[:=] ?)[^\n:=,]+/, () => some(random)));
    },
    function insertWord(bytes, random) {
      return edit(bytes, (text) => {
        const at = random.below(text.length + 1);
        return `${text.slice(0, at)}${some(random)}${text.slice(at)}`;
      });
    },
    function swapWords(bytes, random) {
      return edit(bytes, (text) => {
        const other = matchIn(text, random, /[\w.+-]+/)?.[0] ?? 'x';
        return replaceMatch(text, random, /[\w.+-]+/, () => other);
      });
    },
    function punctuation(bytes, random) {
      return edit(bytes, (text) =>
        replaceMatch(text, random, /[^\w\s]/, () => random.pick([...'{}[]()<>:,;|&*!%@`"\'#-=\\/?.'])),
      );
    },
    function dropLine(bytes, random) {
      return edit(bytes, (text) => lines(text, random, (all, at) => all.splice(at, 1)));
    },
    function repeatLine(bytes, random) {
      return edit(bytes, (text) =>
        lines(text, random, (all, at) => all.splice(at, 0, ...Array(random.size(64)).fill(all[at] ?? ''))),
      );
    },
    function moveLine(bytes, random) {
      return edit(bytes, (text) =>
        lines(text, random, (all, at) =>
          all.splice(random.below(all.length), 0, ...all.splice(at, random.size(4))),
        ),
      );
    },
    function indent(bytes, random) {
      return edit(bytes, (text) =>
        lines(text, random, (all, at) => {
          all[at] =
            `${random.pick(['', ' ', '  ', '    ', '\t', '- ', '? ', '# '])}${(all[at] ?? '').trimStart()}`;
        }),
      );
    },
    function insertLine(bytes, random) {
      return edit(bytes, (text) =>
        lines(text, random, (all, at) =>
          all.splice(at, 0, `${indentOf(all[at] ?? '')}${some(random)}: ${some(random)}`),
        ),
      );
    },
    function crlf(bytes) {
      return edit(bytes, (text) => text.replaceAll('\n', '\r\n'));
    },
    function byteOrderMark(bytes) {
      return Buffer.concat([Buffer.from('\u{feff}'), bytes]);
    },
    function utf16(bytes) {
      return Buffer.from(`\u{feff}${bytes.toString('utf8')}`, 'utf16le');
    },
  ];
  return whole;
}
