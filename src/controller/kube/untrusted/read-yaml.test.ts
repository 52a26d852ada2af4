import { describe, expect, it } from 'vitest';
import { readYaml, YamlError } from './read-yaml.ts';

const KIB = 1024;

/** Each took npm's `yaml` seconds or minutes, or could take a parser that long. */
const HOSTILE: Readonly<Record<string, string>> = {
  'keys in keys': '? '.repeat(600),
  'keys in keys, a lot': '? '.repeat(64 * KIB),
  'keys in keys, by lines': Array.from({ length: 500 }, (_, at) => `${' '.repeat(at)}?`).join('\n'),
  'lists in lists': '['.repeat(128 * KIB),
  'maps in maps': '{a: '.repeat(32 * KIB),
  'items in items': '- '.repeat(64 * KIB),
  'aliases of aliases': [
    'a0: &a0 [x,x,x,x,x,x,x,x,x,x]',
    ...Array.from(
      { length: 30 },
      (_, at) => `a${at + 1}: &a${at + 1} [${Array(10).fill(`*a${at}`).join(',')}]`,
    ),
  ].join('\n'),
  'one alias again and again': `a: &a x\nb: [${Array(40 * KIB)
    .fill('*a')
    .join(',')}]`,
  'merge keys': `a: &a {${Array.from({ length: 500 }, (_, at) => `k${at}: 1`).join(',')}}\n${Array.from({ length: 4_000 }, (_, at) => `b${at}: {<<: *a}`).join('\n')}`,
  'a long key': `${'k'.repeat(120 * KIB)}: 1`,
  'a list as a key': `? [${'a,'.repeat(60 * KIB)}]\n: 1`,
  'a key again and again': 'a: 1\n'.repeat(24 * KIB),
  'many documents': '---\n'.repeat(32 * KIB),
  'many tags': '!a '.repeat(40 * KIB),
  'a text of line breaks': `"${'\\\n'.repeat(60 * KIB)}`,
  'a block without an end': `a: |\n${' \n'.repeat(60 * KIB)}`,
};

describe('YAML that anybody may have written', () => {
  it.each(Object.entries(HOSTILE))('is read or refused in no time: %s', (_, text) => {
    const began = performance.now();
    try {
      readYaml(text);
    } catch (error) {
      expect(error).toBeInstanceOf(YamlError);
    }
    // The slowest takes 0.2 s for 128 KiB, on a machine that others use as well.
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  it('is taken as kubeconfigs have it: the last of equal keys counts, and a few aliases', () => {
    expect(readYaml('a: 1\nb: &x {c: [d]}\na: 2\ne: *x\n')).toEqual({
      a: 2,
      b: { c: ['d'] },
      e: { c: ['d'] },
    });
    expect(readYaml('{"a": "b", "t": 2001-01-01}')).toEqual({ a: 'b', t: '2001-01-01' });
  });

  it('changes no prototype', () => {
    const value = readYaml('__proto__: {x: 1}\n') as { x?: number };
    expect([value.x, ({} as { x?: number }).x]).toEqual([undefined, undefined]);
  });

  it('is refused without a word of it, for it may be a secret', () => {
    for (const text of [
      'token: *secret-of-mine',
      'token: "secret-of-mine',
      '!<secret-of-mine> x',
      '? '.repeat(99),
    ])
      expect(() => readYaml(text)).toThrow(
        /^it is no YAML that can be read at \d+:\d+(?:: more than \d+ \w+)?$/,
      );
  });
});
