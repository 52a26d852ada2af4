import type { Random } from '../random.ts';
import type { Mutation } from './bytes.ts';

/** How often a shape repeats itself; the last ones are those that a careless reader does not survive. */
const TIMES = [2, 20, 200, 2_000, 20_000, 100_000];

const OPENINGS: readonly string[] = [
  ...[
    '[',
    '{',
    '{"a":',
    '[{"a":[',
    '(',
    '((',
    '{{',
    '{% if 1 %}',
    '{% for a in [1] %}',
    '- ',
    '? ',
    'a: &a [*a, ',
  ],
  ...[
    '"',
    "'",
    '`',
    '$(',
    '<<',
    '#',
    '!!map ',
    '!<tag:yaml.org,2002:str> ',
    '!!binary ',
    '|\n ',
    '>\n  ',
    '\\',
    '%',
  ],
  ...[
    'a.',
    'a=[',
    '[[a.',
    '--',
    '-',
    '&a ',
    '*a ',
    ':',
    ', ',
    '\n',
    '\t',
    ' ',
    '+1',
    '|e',
    '~a',
    ' and a',
    'not ',
    '**9',
  ],
];

/** Aliases that stand for ten of the ones before: "a billion laughs". */
function laughs(random: Random): string {
  const levels = 2 + random.below(12);
  const rows = ['a0: &a0 [lol, lol, lol, lol, lol]'];
  for (let level = 1; level < levels; level += 1) {
    rows.push(
      `a${level}: &a${level} [${Array(9)
        .fill(`*a${level - 1}`)
        .join(', ')}]`,
    );
  }
  return `${rows.join('\n')}\n`;
}

/** Merges of mappings that hold the ones before. */
function merges(random: Random): string {
  const levels = 2 + random.below(20);
  const rows = ['m0: &m0 {k: v, <<: {l: w}}'];
  for (let level = 1; level < levels; level += 1) {
    rows.push(`m${level}: &m${level} {<<: [*m${level - 1}, *m${level - 1}], k${level}: *m${level - 1}}`);
  }
  return `${rows.join('\n')}\nrecursive: &r {<<: *r, self: *r}\n`;
}

/** A mapping or a list of very many. */
function many(random: Random): string {
  const count = random.pick(TIMES);
  return random.chance(0.5)
    ? Array.from({ length: count }, (_, index) => `k${index}: ${index}`).join('\n')
    : `[${Array(count).fill('1').join(', ')}]`;
}

function insert(bytes: Buffer, random: Random, text: string): Buffer {
  const lineStarts = [0];
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lineStarts.push(at + 1);
  const at = random.chance(0.5) ? random.pick(lineStarts) : random.below(bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(text), bytes.subarray(at)]);
}

/** Forms that cost a reader much: deep, long, many, or standing for themselves. */
export const shapeMutations: readonly Mutation[] = [
  (bytes, random) => insert(bytes, random, random.pick(OPENINGS).repeat(random.pick(TIMES))),
  (bytes, random) => insert(bytes, random, random.pick([...'a0 =/.-_\\"\'']).repeat(random.pick(TIMES))),
  (bytes, random) => insert(bytes, random, laughs(random)),
  (bytes, random) => insert(bytes, random, merges(random)),
  (bytes, random) => insert(bytes, random, `${many(random)}\n`),
  (bytes, random) => {
    const opening = random.pick(['[', '{"a":', '(', '{a: ', '- ', '  ']);
    const count = random.pick(TIMES);
    const closing = { '[': ']', '{"a":': '}', '(': ')', '{a: ': '}' }[opening] ?? '';
    return insert(bytes, random, `${opening.repeat(count)}1${closing.repeat(count)}`);
  },
];
