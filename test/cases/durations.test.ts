import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { scratch } from '../support/tmp/scratch.ts';
import { keepDurations, longestFirst } from './durations.ts';

let folder: string;
beforeEach(() => {
  folder = scratch();
  vi.stubEnv('SLIPWAY_LAB_CACHE', join(folder, 'cache'));
});
afterEach(() => {
  vi.unstubAllEnvs();
});

it('puts first what takes longest, also where nothing was measured yet', () => {
  expect(longestFirst(['b', 'report', 'a', 'controller'])).toEqual(['controller', 'report', 'a', 'b']);
  keepDurations({ short: 1, long: 500 });
  keepDurations({ middle: 30 });
  const names = ['short', 'new', 'middle', 'controller', 'long', 'also-new'];
  expect(longestFirst(names)).toEqual(['long', 'controller', 'also-new', 'new', 'middle', 'short']);
  writeFileSync(join(folder, 'cache/case-seconds.json'), 'spoilt');
  expect(longestFirst(['b', 'report', 'a'])).toEqual(['report', 'a', 'b']);
});
