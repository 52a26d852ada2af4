import { expect, it } from 'vitest';
import { Diagnostics } from './diagnostics.ts';
import { MAX_REPORT_ENTRIES } from './limits.ts';

it('is full where it has said that there is more than it lists, of each severity by itself', () => {
  const diagnostics = new Diagnostics();
  for (let index = 0; index < MAX_REPORT_ENTRIES; index += 1) diagnostics.warn('UserDataIgnoredKey', 'a');
  expect(diagnostics.isFull('warning')).toBe(false);
  diagnostics.warn('UserDataIgnoredKey', 'a');
  expect(diagnostics.isFull('warning')).toBe(true);
  expect(diagnostics.entries.at(-1)?.message).toBe('There are more warnings than the 100 listed.');
  diagnostics.warn('UserDataIgnoredKey', 'a');
  expect(diagnostics.entries).toHaveLength(MAX_REPORT_ENTRIES + 1);
  expect(diagnostics.isFull('error')).toBe(false);
});
