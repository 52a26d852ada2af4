import { expect, it } from 'vitest';
import { Report } from './diagnostics.ts';
import { MAX_REPORT_ENTRIES } from './limits.ts';

it('is full where it has said that there is more than it lists, of each severity by itself', () => {
  const report = new Report();
  for (let index = 0; index < MAX_REPORT_ENTRIES; index += 1) report.warn('UserDataIgnoredKey', 'a');
  expect(report.isFull('warning')).toBe(false);
  report.warn('UserDataIgnoredKey', 'a');
  expect(report.isFull('warning')).toBe(true);
  expect(report.entries.at(-1)?.message).toBe('There are more warnings than the 100 listed.');
  report.warn('UserDataIgnoredKey', 'a');
  expect(report.entries).toHaveLength(MAX_REPORT_ENTRIES + 1);
  expect(report.isFull('error')).toBe(false);
});
