import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { readDocuments } from './config-documents.ts';
import { writeYaml } from './write-yaml.ts';

const HEAD = { apiVersion: 'kubeadm.k8s.io/v1beta4', kind: 'JoinConfiguration' };
const again = (values: object) => readDocuments(writeYaml({ ...HEAD, ...values }), 'f')[0]?.values;

const ODD = [
  ...[
    'y',
    'N',
    'yes',
    'on',
    '~',
    '',
    'null',
    '<<',
    '=',
    '12',
    '1_0',
    '0o17',
    '0x1f',
    '1e3',
    '.5',
    '5.',
    '+1',
  ],
  ...['12:30', '2001-01-01', '0b1', '.inf', '.nan', '- a', '? a', '?', ':', 'a: b', 'a #b', '#', '*a', '&a'],
  ...[
    '!a',
    '%a',
    '@a',
    '`',
    "'",
    '"',
    '[',
    ']',
    '{',
    '}',
    ',',
    '|',
    '>',
    '---',
    '...',
    '--- a',
    ' a ',
    'a\tb',
  ],
  ...['\ta', 'a\nb', 'a\n', '\n', '\u2028', '\u0085', '\ufeff', '\u0000', '\u{1f600}', 'a\r\nb'],
];

test.each(ODD)('%j is the same text, as a key and as a value', (text) => {
  const values = { a: text, b: [text], c: { [text]: text } };
  expect(again(values)).toEqual({ ...HEAD, ...values });
});

it('is read as it was meant, whatever it is', () => {
  const text = fc.string({ unit: 'binary' });
  const leaf = fc.oneof(
    text,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
  );
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc.constant(null),
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(text, tie('any'), { maxKeys: 3 }),
    ),
  })).any;
  fc.assert(
    fc.property(fc.dictionary(text, value, { maxKeys: 4 }), (values) => {
      expect(JSON.stringify(again(values))).toBe(JSON.stringify({ ...HEAD, ...values, ...HEAD }));
    }),
  );
});
