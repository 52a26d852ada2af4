import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { downloadChecked, unreachable } from './kubernetes-download.ts';

const GOOD = Buffer.from('a program '.repeat(10_000));
const sum = createHash('sha256').update(GOOD).digest('hex');
const FILES: Record<string, Buffer> = {
  '/good': GOOD,
  '/good.sha256': Buffer.from(`${sum}\n`),
  '/swapped': Buffer.from('another program'),
  '/swapped.sha256': Buffer.from(sum),
  '/no-sum': GOOD,
  '/no-sum.sha256': Buffer.from('<html>not here</html>'),
};

let server: Server;
let base: string;
let dir: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    const file = FILES[request.url ?? ''];
    response.writeHead(file === undefined ? 404 : 200).end(file);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  dir = await mkdtemp(join(tmpdir(), 'lab-download-'));
});
afterAll(async () => {
  server.close();
  await rm(dir, { recursive: true });
});

it('keeps a file that is what was published', async () => {
  await downloadChecked(`${base}/good`, join(dir, 'good'));
  expect(readFileSync(join(dir, 'good')).equals(GOOD)).toBe(true);
});

it.each([
  ['swapped', /not what was published/],
  ['no-sum', /holds no SHA-256 sum/],
  ['absent', /answers 404/],
])('refuses "%s", and leaves nothing', async (name, why) => {
  await expect(downloadChecked(`${base}/${name}`, join(dir, name))).rejects.toThrow(why);
  expect(existsSync(join(dir, name))).toBe(false);
  expect((await readdir(dir)).filter((file) => file.endsWith('.partial'))).toEqual([]);
});

it('says why upstream cannot be reached', async () => {
  const nobody = { kubernetes: 'http://127.0.0.1:1', criTools: '' };
  expect(await unreachable(nobody)).toMatch(/127\.0\.0\.1:1/);
  expect(await unreachable({ kubernetes: base, criTools: base })).toMatch(/404/);
});
