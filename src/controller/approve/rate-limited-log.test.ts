import { expect, it } from 'vitest';
import { createLog } from '../log.ts';
import { rateLimitedLog } from './rate-limited-log.ts';

it('lets a cluster have a burst of lines and then a few, and says how many it left out', () => {
  let now = 0;
  let lines: string[] = [];
  const log = rateLimitedLog(
    createLog((line) => lines.push(line)),
    'default/c',
    () => now,
  );
  for (let at = 0; at < 100_000; at += 1) log.info(`line ${at}`);
  expect(lines.length).toBe(5_001);
  expect(lines.at(-1)).toMatch(/"a cluster causes too many lines; some are left out","cluster":"default\/c"/);
  lines = [];
  now += 10_000;
  for (let at = 0; at < 1_000; at += 1) log.warn('more');
  expect(lines[0]).toMatch(/"lines of a cluster were left out","cluster":"default\/c","lines":95000/);
  expect(lines.length).toBeLessThan(25);
});
