import { expect, it } from 'vitest';
import { entryFinding, entryText } from './report-entry.ts';

const entry = { severity: 'warning', code: 'UserDataInvalid', message: 'It is wrong.' } as const;

it('names the text in which a position counts', () => {
  const own = { ...entry, where: { line: 3, column: 1 } };
  const fetched = { ...entry, where: { line: 3, column: 1, within: 'http://a/b' } };
  expect(entryText(entry)).toBe('It is wrong.');
  expect(entryText(own)).toBe('user data line 3, column 1: It is wrong.');
  expect(entryText(fetched)).toBe('http://a/b line 3, column 1: It is wrong.');
  expect(entryFinding(own)).toMatchObject({ message: 'It is wrong.', where: '3:1' });
  expect(entryFinding(fetched)).toEqual({ ...entry, message: 'http://a/b line 3, column 1: It is wrong.' });
});
