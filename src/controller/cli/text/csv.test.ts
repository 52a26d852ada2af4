import { expect, test } from 'vitest';
import { csv } from './csv.ts';

test.each([
  ['plain', 'plain'],
  ['a,b', '"a,b"'],
  ['say "x"', '"say ""x"""'],
  ['two\nlines', '"two\nlines"'],
  ['', ''],
  ['=HYPERLINK("http://x")', '"\'=HYPERLINK(""http://x"")"'],
  ['+1', '"\'+1"'],
  ['-1', '"\'-1"'],
  ['@SUM(A1)', '"\'@SUM(A1)"'],
  ['\t=1', '"\'\t=1"'],
  [' =1', '"\' =1"'],
])('%j', (text, wanted) => {
  expect(csv([[text, 'x']])).toBe(`${wanted},x`);
});

test('rows end as the standard says', () => {
  expect(csv([['a'], ['b']])).toBe('a\r\nb');
});
