import { expect, it } from 'vitest';
import { clockTime } from './time.ts';

it.each([
  'Nov 21 02:34:29 n1 ',
  'nov. 21 02:34:29 n1 ',
  'ноя 21 02:34:29 n1 ',
  'lis 21 02:34:29 n1 ',
  '11月 21 02:34:29 n1 ',
  '21 nov 02:34:29 n1 ',
  '2026-11-21T02:34:29+0000 n1 ',
])('%s', (head) => {
  expect(clockTime(head)?.seconds).toBe((((11 * 31 + 21) * 24 + 2) * 60 + 34) * 60 + 29);
});

it('knows no month of another word', () => {
  expect(clockTime('line 21 02:34:29 ')).toBeUndefined();
});
