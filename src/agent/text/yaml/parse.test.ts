import { describe, expect, test } from 'vitest';
import { toText } from '../../userdata/decode/text.ts';
import { plainValue } from '../../userdata/fixtures/plain-value.ts';
import { yamlExamples } from '../../userdata/fixtures/read-json.ts';
import { Diagnostics } from '../diagnostics.ts';
import { plainText } from '../source-text.ts';
import { parseYaml } from './parse.ts';

function parse(yaml: string) {
  const diagnostics = new Diagnostics();
  const text = toText(Buffer.from(yaml), 'The text', diagnostics);
  const node = text === undefined ? undefined : parseYaml(plainText(text), diagnostics);
  return { node, entries: diagnostics.entries };
}

/** Refused on purpose: nothing in cloud-config can use them. */
const UNUSED_TAGS = /!!(?:set|omap)/;

describe('what PyYAML makes of a text', () => {
  test.each(yamlExamples())('$text', ({ text, value, refused }) => {
    const { node, entries } = parse(text);
    if (refused || UNUSED_TAGS.test(text)) {
      expect(node).toBeUndefined();
      expect(entries.filter(({ severity }) => severity === 'error').length).toBeGreaterThan(0);
      if (!text.includes('\0')) expect(entries[0]?.where).toBeDefined();
    } else {
      expect(entries.filter(({ severity }) => severity === 'error')).toEqual([]);
      expect(node && plainValue(node)).toEqual(value);
    }
  });
});

test.each([
  ['a: 1\nb: "x\\q"\n', 2, 6, 'backslash'],
  ['a: 1\n\tb: 2\n', 2, 1, 'tab'],
  ['a: b: c\n', 1, 5, 'quotes'],
  ['a:\n  - b\n c: d\n', 3, 2, 'indentation'],
  ['a: [b, c\n', 2, 1, 'not closed'],
  ['a: "b\nc: d\n', 1, 4, 'not closed'],
  ['a: 1\nkey\nb: 2\n', 2, 1, 'colon'],
  ['a: @b\n', 1, 4, 'quotes'],
  ['a: *b\n', 1, 4, 'anchor'],
  ['a: 1\n---\nb: 2\n', 2, 1, 'second YAML document'],
  ['a: 2001-02-30\n', 1, 4, 'no such date'],
  ['a: b\u0007\n', 1, 5, 'U+0007'],
])('%j is refused at %i:%i, and says why', (yaml, line, column, word) => {
  const [first] = parse(yaml).entries;
  expect(first?.where).toEqual({ line, column });
  expect(first?.message).toContain(word);
});

test.each([
  ['a: 1\nb: ["x", "a\\ud83d\\ude00"]\n', [{ line: 2, column: 10 }]],
  ['"\\udc00": 1\n', [{ line: 1, column: 1 }]],
  [`a: "😀 \\U0001f600 \\\\ud83d"\nb: '\\ud83d'\nc: \\ud83d\n`, []],
])('half a character is a warning, a whole one none: %j', (yaml, places) => {
  const { entries } = parse(yaml);
  expect(entries.map(({ severity }) => severity)).toEqual(places.map(() => 'warning'));
  expect(entries.map(({ where }) => where)).toEqual(places);
});

test('a key given twice is a warning at the second place, and the second counts', () => {
  const { node, entries } = parse('a: 1\nb: 2\na: 3\n');
  expect(entries).toMatchObject([{ severity: 'warning', where: { line: 3, column: 1 } }]);
  expect(node && plainValue(node)).toEqual({
    t: 'map',
    v: [
      ['a', { t: 'int', v: '3' }],
      ['b', { t: 'int', v: '2' }],
    ],
  });
});

test.each([
  ['a block scalar', `a: |\n  b\n${'\n'.repeat(300_000)}  c\n`],
  ['one that keeps them', `a: |+\n  b\n${'\n'.repeat(300_000)}`],
  ['a quoted text', `a: "b\n${'\n'.repeat(300_000)}c"\n`],
  ['a plain text', `a: b\n${'\n'.repeat(300_000)} c\n`],
])('very many empty lines in %s are read', (_name, yaml) => {
  const { node, entries } = parse(yaml);
  expect(entries).toEqual([]);
  expect(node && JSON.stringify(plainValue(node)).length).toBeGreaterThan(600_000);
});

const laughs = [
  'a: &a [x,x,x,x,x,x,x,x,x,x]',
  ...'bcdefgh'.split('').map((name, index) => {
    const before = 'abcdefg'[index];
    return `${name}: &${name} [${`*${before},`.repeat(10)}]`;
  }),
].join('\n');

test.each([
  ['nested lists', '['.repeat(100_000)],
  ['nested mappings', '{a: '.repeat(100_000)],
  ['nested dashes', '- '.repeat(100_000)],
  ['a billion laughs', laughs],
  ['long laughs', `a: &a "${'x'.repeat(1_000_000)}"\nb: [${'*a,'.repeat(100)}]`],
  ['very many values', '- a\n'.repeat(1_000_000)],
])('%s end with an error', (_name, yaml) => {
  expect(parse(yaml).entries).toMatchObject([{ severity: 'error', code: 'UserDataTooLarge' }]);
});
