import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cloneContainerdState } from './containerd-state.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'lab-state-'));
});
afterAll(() => rm(dir, { recursive: true }));

it('shares blobs and copies databases', async () => {
  const [from, to] = [join(dir, 'from'), join(dir, 'to')];
  await mkdir(join(from, 'blobs'), { recursive: true });
  await mkdir(join(from, 'closed'), { mode: 0o700 });
  await writeFile(join(from, 'blobs/one'), 'blob');
  await writeFile(join(from, 'meta.db'), 'before');
  await cloneContainerdState(from, to);
  await writeFile(join(to, 'meta.db'), 'after');
  expect(await readFile(join(from, 'meta.db'), 'utf8')).toBe('before');
  expect((await stat(join(to, 'blobs/one'))).ino).toBe((await stat(join(from, 'blobs/one'))).ino);
  expect((await stat(join(to, 'closed'))).mode & 0o7777).toBe(0o700);
});
