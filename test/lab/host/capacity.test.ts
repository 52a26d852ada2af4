import { watch } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freeAmounts, NEEDS, shortages, sum, usedInotifyInstances } from './capacity.ts';

const PLENTY = { inotify: 1000, watches: 1e6, memory: 64_000, disk: 1e6, processes: 30_000 };

it('says in a sentence each what there is too little of', () => {
  expect(shortages(NEEDS.worker, PLENTY)).toEqual([]);
  const five = sum(Array.from({ length: 5 }, () => NEEDS['control-plane']));
  expect(five.inotify).toBe(120);
  expect(shortages(five, { ...PLENTY, inotify: 100, memory: 4000 })).toEqual([
    '100 inotify instances are free and 120 needed: sysctl -w fs.inotify.max_user_instances=1024',
    '4000 MB of memory are free and 4500 needed',
  ]);
});

it('counts the inotify instances that processes hold', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'lab-inotify-'));
  const watcher = watch(dir);
  try {
    expect(usedInotifyInstances()).toBeGreaterThan(0);
  } finally {
    watcher.close();
    await rm(dir, { recursive: true });
  }
});

it('knows what this host has', () => {
  for (const [name, amount] of Object.entries(freeAmounts())) expect(amount, name).toBeGreaterThan(0);
});
