import { expect, it } from 'vitest';
import { retryAfterMs } from './retry-after.ts';

const NOW = Date.parse('2026-06-15T12:00:00Z');
const date = 'Mon, 15 Jun 2026 12:00:00 GMT';
const later = 'Mon, 15 Jun 2026 12:00:30 GMT';

it('takes seconds and dates', () => {
  expect(retryAfterMs({}, NOW)).toBeUndefined();
  expect(retryAfterMs({ 'retry-after': '7' }, NOW)).toBe(7000);
  expect(retryAfterMs({ 'retry-after': later }, NOW)).toBe(30_000);
  expect(retryAfterMs({ 'retry-after': 'soon' }, NOW)).toBeUndefined();
  expect(retryAfterMs({ 'retry-after': ['7', '8'] }, NOW)).toBeUndefined();
});

it("reckons a date from the answer's own, however wrong the clock here is", () => {
  const hour = 3_600_000;
  for (const now of [NOW - hour, NOW + hour, 0]) {
    expect(retryAfterMs({ 'retry-after': later, date }, now)).toBe(30_000);
    expect(retryAfterMs({ 'retry-after': date, date: later }, now)).toBe(0);
  }
  expect(retryAfterMs({ 'retry-after': later, date: 'nonsense' }, NOW)).toBe(30_000);
});
