import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FileServer } from './file-server.ts';
import { upstreamRelease } from './upstream-release.ts';

const HOUR_MS = 3_600_000;
const NOW = 1_800_000_000_000;

let stable: string | undefined;
let server: FileServer;
let dir: string;
let said: string[];
const before = process.env.SLIPWAY_LAB_CACHE;
beforeEach(async () => {
  stable = 'v1.36.1';
  server = await FileServer.start(() => (stable === undefined ? undefined : Buffer.from(stable)));
  dir = await mkdtemp(join(tmpdir(), 'lab-upstream-'));
  process.env.SLIPWAY_LAB_CACHE = join(dir, 'cache');
  said = [];
});
afterEach(async () => {
  if (before === undefined) delete process.env.SLIPWAY_LAB_CACHE;
  else process.env.SLIPWAY_LAB_CACHE = before;
  server.close();
  await rm(dir, { recursive: true });
});

const ask = (at: number) =>
  upstreamRelease((line) => said.push(line), { kubernetes: server.url, github: '' }, at);

it('is asked for once a day', async () => {
  expect(await ask(NOW)).toBe('v1.36.1');
  stable = 'v1.36.2';
  expect(await ask(NOW + 23 * HOUR_MS)).toBe('v1.36.1');
  expect(server.asked).toHaveLength(1);
  expect(await ask(NOW + 25 * HOUR_MS)).toBe('v1.36.2');
});

it('is none while upstream cannot be reached, and is asked for again after an hour', async () => {
  stable = undefined;
  expect(await ask(NOW)).toBeUndefined();
  expect(said.join()).toMatch(/cannot be reached: .*404/);
  stable = 'v1.36.1';
  expect(await ask(NOW + HOUR_MS / 2)).toBeUndefined();
  expect(server.asked).toHaveLength(1);
  expect(await ask(NOW + 2 * HOUR_MS)).toBe('v1.36.1');
});

it('stays what it was when upstream can no longer be reached', async () => {
  await ask(NOW);
  stable = undefined;
  expect(await ask(NOW + 25 * HOUR_MS)).toBe('v1.36.1');
});
