import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { lock } from './lock.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'lab-lock-'));
});
afterAll(() => rm(dir, { recursive: true }));

it('lets one in at a time', async () => {
  const file = join(dir, 'a');
  const first = await lock(file);
  let second = false;
  const waiting = lock(file).then((held) => {
    second = true;
    return held;
  });
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(second).toBe(false);
  await first.release();
  await (await waiting).release();
  expect(second).toBe(true);
});

it('says that it cannot lock rather than going on without', async () => {
  await expect(lock(join(dir, 'no/such/folder'))).rejects.toThrow(/cannot lock/);
});
