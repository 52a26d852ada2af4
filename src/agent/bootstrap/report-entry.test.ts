import { expect, it } from 'vitest';
import { asFinding, placed } from './report-entry.ts';

const entry = { severity: 'warning', code: 'UserDataInvalid', message: 'It is wrong.' } as const;

it('names the text in which a position counts', () => {
  const own = { ...entry, where: { line: 3, column: 1 } };
  const fetched = { ...entry, where: { line: 3, column: 1, within: 'http://a/b' } };
  expect(placed(entry)).toBe('It is wrong.');
  expect(placed(own)).toBe('user data line 3, column 1: It is wrong.');
  expect(placed(fetched)).toBe('http://a/b line 3, column 1: It is wrong.');
  expect(asFinding(own)).toMatchObject({ message: 'It is wrong.', where: '3:1' });
  expect(asFinding(fetched)).toEqual({ ...entry, message: 'http://a/b line 3, column 1: It is wrong.' });
});
