import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { raiseInotifyLimits, restoreInotifyLimits } from './inotify-limits.ts';

let dir: string;
let limit: string;
let note: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'lab-limits-'));
  [limit, note] = [join(dir, 'limit'), join(dir, 'note')];
  await writeFile(limit, '128\n');
});
afterEach(() => rm(dir, { recursive: true }));

const value = async () => Number(await readFile(limit, 'utf8'));

it('raises a limit, twice the same, and puts back what it was at first', async () => {
  expect(await raiseInotifyLimits(note, { [limit]: 1024 })).toBe(true);
  expect(await raiseInotifyLimits(note, { [limit]: 1024 })).toBe(true);
  expect(await value()).toBe(1024);
  await restoreInotifyLimits(note);
  expect(await value()).toBe(128);
  expect(existsSync(note)).toBe(false);
  await restoreInotifyLimits(note);
});

it('lowers none, and leaves what somebody else has set since', async () => {
  await raiseInotifyLimits(note, { [limit]: 100 });
  expect(await value()).toBe(128);
  await raiseInotifyLimits(note, { [limit]: 1024 });
  await writeFile(limit, '4096\n');
  await restoreInotifyLimits(note);
  expect(await value()).toBe(4096);
});

it('says when a limit cannot be set', async () => {
  // A file of the kernel that is for reading only, as /proc/sys is in a container.
  expect(await raiseInotifyLimits(note, { '/proc/sys/kernel/ngroups_max': 1e9 })).toBe(false);
});
