import { expect, it } from 'vitest';
import { counterRegression, isCounterUpdate } from './counters.ts';

const at = (resets: number, restarts: number, clock: number) => ({ resets, restarts, clock });
const MINUTE = 60_000;

it.each([
  ['another start', at(7, 3, 9 * MINUTE), at(8, 0, 0)],
  ['back from a sleep', at(7, 3, 9 * MINUTE), at(7, 4, 9 * MINUTE)],
  ['a little later', at(7, 3, 9 * MINUTE), at(7, 3, 10 * MINUTE)],
  ['the same moment', at(7, 3, 9 * MINUTE), at(7, 3, 9 * MINUTE)],
  ['an answer that was overtaken by another', at(7, 3, 9 * MINUTE), at(7, 3, 8 * MINUTE)],
])('takes a TPM that has gone on: %s', (_, before, now) => {
  expect(counterRegression(before, now)).toBeUndefined();
});

it.each([
  ['an earlier start', at(6, 9, 99 * MINUTE), /started 7 times, and is at 6/],
  ['a TPM that was cleared', at(0, 0, 0), /is at 0 again/],
  ['an earlier sleep', at(7, 2, 99 * MINUTE), /from 3 sleeps.*at 2 again/],
  ['an earlier moment', at(7, 3, 6 * MINUTE), /clock is 180 seconds behind/],
])('finds a TPM whose state was put back: %s', (_, now, why) => {
  expect(counterRegression(at(7, 3, 9 * MINUTE), now)).toMatch(why);
});

it('writes what is news, and not each proof', () => {
  const before = at(7, 3, 9 * MINUTE);
  expect(isCounterUpdate(undefined, before)).toBe(true);
  expect(isCounterUpdate(before, at(8, 0, 0))).toBe(true);
  expect(isCounterUpdate(before, at(7, 4, 9 * MINUTE))).toBe(true);
  expect(isCounterUpdate(before, at(7, 3, 11 * MINUTE))).toBe(true);
  expect(isCounterUpdate(before, at(7, 3, 9 * MINUTE + 500))).toBe(false);
});
