import { describe, expect, it, test } from 'vitest';
import { KubeadmError } from '../../kubeadm-error.ts';
import { checkConfig } from '../api/check-config.ts';
import { positionOfPath } from '../api/problem.ts';
import { readDocuments } from './config-documents.ts';

const HEAD = 'apiVersion: kubeadm.k8s.io/v1beta3\nkind: InitConfiguration\n';
const laughs = (levels: number): string =>
  Array.from({ length: levels }, (_, level) =>
    level === 0
      ? 'a0: &a0 [l, l, l]\n'
      : `a${level}: &a${level} [${Array(9)
          .fill(`*a${level - 1}`)
          .join(', ')}]\n`,
  ).join('');
const registration = (text: string) => readDocuments(`${HEAD}nodeRegistration:\n${text}`, 'f')[0]?.values;
const refusal = (text: string): string => {
  try {
    readDocuments(text, 'f');
  } catch (error) {
    if (error instanceof KubeadmError) return error.message;
    throw error;
  }
  return 'it was read';
};

describe('a kubeadm configuration', () => {
  // What kubeadm 1.20 makes of each of them: `kubeadm config migrate`.
  test.each<[string, string, unknown]>([
    ['a tab behind a colon', '  name:\tit\n', 'it'],
    ['a tab before a comment', '  name: it\t# c\n', 'it'],
    ['a tab inside a text', '  name: a\tb\n', 'a\tb'],
    ['a tab behind the sign of a block text', '  name: |\t\n    it\n', 'it\n'],
    ['a list that ends in the first column', '  other: [\n    a,\n]\n  name: it\n', 'it'],
    ['a quoted text that goes on there', "  name: 'a\nb'\n", 'a b'],
    ['the later of two equal keys', '  name: a\n  name: it\n', 'it'],
    ['a key behind a merged one', '  <<: {name: a}\n  name: it\n', 'it'],
    ['a merged key behind another', '  name: a\n  <<: {name: it}\n', 'it'],
    ['the first of several merged mappings', '  <<: [{name: it}, {name: a}]\n', 'it'],
    ['an anchor that is given anew', '  a: &x a\n  b: &x it\n  name: *x\n', 'it'],
    ['a tag that nobody knows', '  name: !odd it\n', 'it'],
    ['a tag of a text', '  name: !!str 5\n', '5'],
    ['base64', '  name: !!binary aXQ=\n', 'it'],
    ['a date', '  name: 2001-01-01\n', '2001-01-01'],
    ['base 60', '  name: 12:30\n', '12:30'],
    ['a letter that is a yes', '  name: y\n', true],
    ['a word in quotes', '  name: "yes"\n', 'yes'],
    ['an octal number of either kind', '  name: 0o17\n', 15],
    ['an octal number', '  name: 017\n', 15],
    ['a number with a sign', '  name: +1\n', 1],
    ['an exponent', '  name: 1e3\n', 1000],
    ['a number with underscores', '  name: 1_000\n', 1000],
    ['nothing', '  name: ~\n', null],
    ['Windows line ends', '  name: it\r\n', 'it'],
  ])('is read as kubeadm reads it: %s', (_, text, name) => {
    expect(registration(text)?.nodeRegistration).toMatchObject({ name });
  });

  it('ends with its mark: kubeadm passes over what follows', () => {
    const [first, ...others] = readDocuments(
      `${HEAD}a: 1\n...\nb: 2\n- c\n---\napiVersion: v1\nkind: A\n`,
      'f',
    );
    expect(first?.values).toMatchObject({ a: 1 });
    expect(others.map(({ kind }) => kind)).toEqual(['A']);
  });

  it('may begin with a byte order mark', () => {
    expect(readDocuments(`\ufeff${HEAD}`, 'f')).toHaveLength(1);
  });

  test.each([
    ['a tab that indents', 'x:\n\ty: 1\n', /a tab is where .* \(line 4, column 1\)/],
    ['a merge of no mapping', '<<: 0\n', /merge key \(<<\) needs a mapping.* \(line 3, column 1\)/],
    ['a merge of a list of other things', '<<: [1]\n', /merge key \(<<\) needs a mapping/],
    ['a list for a key', '? [a]\n: 1\n', /a key must be a string .*line 3, column 3/],
    ['nothing for a key', '~: 1\n', /a key must be a string/],
    ['an alias of nothing', 'a: *none\n', /no anchor before this alias \(line 3, column 4\)/],
    ['an alias in itself', 'a: &a [*a]\n', /inside the value it refers to \(line 3, column 8\)/],
    ['an open bracket', 'a: [1\n', /\(line \d, column \d\)/],
    ['a control character', 'a: \x01\n', /does not allow the character U\+0001 \(line 3, column 4\)/],
  ])('is refused as kubeadm refuses it: %s', (_, text, message) => {
    expect(refusal(HEAD + text)).toMatch(message);
  });

  it('has places in each of its documents', () => {
    const text = `# first\n---\napiVersion: v1\nkind: A\n---\n# third\n---\n${HEAD}a: {b: [1, 2]}\n...\n`;
    const [first, second] = readDocuments(text, 'f');
    expect(first?.source).toBe('\napiVersion: v1\nkind: A\n');
    expect(second && positionOfPath(second, ['a', 'b', 1])).toEqual({ line: 10, column: 12 });
    expect(second && positionOfPath(second, ['a', 'c'])).toEqual({ line: 10, column: 1 });
  });

  it('gives each alias a value of its own, however many there are', () => {
    const many = `${HEAD}x: &x [a]\nz: [${Array(20_000).fill('*x').join(', ')}]\n`;
    const [document] = readDocuments(many, 'f');
    expect(document?.values.z).toHaveLength(20_000);
    expect(new Set(document?.values.z as unknown[])).toHaveProperty('size', 20_000);
    expect(checkConfig('init', document ? [document] : [])).toHaveLength(2);
    expect(() => readDocuments(`${HEAD}${laughs(4)}`, 'f')).not.toThrow();
  });
});

describe('a hostile configuration is refused for its form, before it costs anything:', () => {
  const long = 'x'.repeat(1000);
  test.each([
    ['keys in keys', '? '.repeat(600), /more than 128 levels deep \(line 1, column 257\)/],
    ['2 KB of these', `${HEAD}x: ${'? '.repeat(1000)}`, /"\? " is not allowed here/],
    ['lists in lists', '- '.repeat(100_000), /more than 128 levels/],
    ['brackets', '['.repeat(500_000), /more than 128 levels/],
    ['braces', '{a: '.repeat(100_000), /more than 128 levels/],
    ['keys in brackets', '[? '.repeat(100_000), /more than 128 levels/],
    [
      'a mapping in each line',
      Array.from({ length: 1000 }, (_, i) => `${' '.repeat(i)}a:\n`).join(''),
      /128/,
    ],
    ['a long list', `${HEAD}x: [${'a,'.repeat(300_000)}]`, /more values than Slipway accepts/],
    ['a long list of empty keys', `${HEAD}x: [${'? ,'.repeat(300_000)}]`, /a key must be a string/],
    ['aliases of aliases', HEAD + laughs(12), /with aliases expanded, it has more values/i],
    [
      'aliases of a long text',
      `${HEAD}x: &x ${long}\nz: [${'*x,'.repeat(10_000)}]`,
      /with aliases expanded/i,
    ],
    ['merges of merges', `${HEAD}a0: &a0 {k: v}\n${merges(30)}`, /with aliases expanded/i],
    ['more than 1 MiB', 'a'.repeat(1024 * 1024 + 1), /larger than 1 MiB/],
  ])('%s', (_, text, message) => {
    const told = refusal(text);
    expect(told).toMatch(message);
    expect(told).not.toContain('\n');
  });

  test.each([
    ['anchors', '&a '.repeat(100_000)],
    ['tags', '!!str '.repeat(100_000)],
    ['directives', '%YAML 1.1\n'.repeat(50_000)],
    ['marks', '---\n'.repeat(200_000)],
    ['quotes', '"'.repeat(500_001)],
    ['keys without an end', `${'x '.repeat(500_000)}: 1`],
    ['block texts', '|\n'.repeat(300_000)],
    ['colons', ':'.repeat(1_000_000)],
    ['commas', `[${','.repeat(500_000)}`],
    ['tabs', '\t'.repeat(1_000_000)],
    ['spaces and breaks', ' \n'.repeat(500_000)],
  ])('%s end, one way or the other', (_, text) => {
    expect(refusal(text)).not.toContain('\n');
  });
});

function merges(levels: number): string {
  return Array.from(
    { length: levels },
    (_, level) => `a${level + 1}: &a${level + 1} {l: *a${level}, <<: [*a${level}, *a${level}]}\n`,
  ).join('');
}
