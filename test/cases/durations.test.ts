import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { keepDurations, longestFirst } from './durations.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-durations-'));
  vi.stubEnv('SLIPWAY_LAB_CACHE', join(folder, 'cache'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

it('puts first what took longest, and before it what nobody has measured', () => {
  expect(longestFirst(['b', 'report', 'a', 'controller'])).toEqual(['a', 'b', 'controller', 'report']);
  keepDurations({ short: 1, long: 90 });
  keepDurations({ middle: 30 });
  const names = ['short', 'new', 'middle', 'long', 'also-new'];
  expect(longestFirst(names)).toEqual(['also-new', 'new', 'long', 'middle', 'short']);
  writeFileSync(join(folder, 'cache/case-seconds.json'), 'spoilt');
  expect(longestFirst(['b', 'a'])).toEqual(['a', 'b']);
});
