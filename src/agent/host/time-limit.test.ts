import { expect, it } from 'vitest';
import { TimeLimitError, timeLimit } from './time-limit.ts';

const FOREVER: [string, () => unknown][] = [
  [
    'a loop',
    () => {
      for (;;);
    },
  ],
  [
    'a loop that catches everything',
    () => {
      for (;;)
        try {
          for (;;);
        } catch {
          // Again.
        }
    },
  ],
  ['a regular expression', () => /^(a+)+$/.test(`${'a'.repeat(60)}b`)],
];

it.each(FOREVER)('ends %s', (_, work) => {
  const began = performance.now();
  expect(() => timeLimit(() => 200)(work)).toThrow(TimeLimitError);
  expect(performance.now() - began).toBeLessThan(5000);
});

it('hands on what the work returns or throws, also of work within work', () => {
  const limit = timeLimit(() => 10_000);
  expect(limit(() => limit(() => 1) + limit(() => 2))).toBe(3);
  expect(() =>
    limit(() => {
      throw new TypeError('own');
    }),
  ).toThrow(new TypeError('own'));
});

it('gives work that begins late a moment, and no more', () => {
  expect(() => timeLimit(() => -5)(FOREVER[0]?.[1] ?? (() => 0))).toThrow(TimeLimitError);
});
