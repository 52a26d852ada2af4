import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { downloadChecked } from './download-checked.ts';
import { FileServer } from './file-server.ts';

const GOOD = Buffer.from('a program '.repeat(10_000));
const sum = createHash('sha256').update(GOOD).digest('hex');
const other = createHash('sha256').update('other').digest('hex');
const FILES: Record<string, Buffer> = {
  '/good': GOOD,
  '/good.sha256': Buffer.from(`${sum}\n`),
  '/swapped': Buffer.from('another program'),
  '/swapped.sha256': Buffer.from(sum),
  '/no-sum': GOOD,
  '/no-sum.sha256': Buffer.from('<html>not here</html>'),
  '/of-another': GOOD,
  '/of-another.sha256': Buffer.from(`${sum}  good\n`),
  '/list': Buffer.from(`${other}  first\n${sum}  good\n${other}  last\n`),
};

let server: FileServer;
let dir: string;
beforeAll(async () => {
  server = await FileServer.start((path) => FILES[path]);
  dir = await mkdtemp(join(tmpdir(), 'lab-download-'));
});
afterAll(async () => {
  server.close();
  await rm(dir, { recursive: true });
});

it('keeps a file that is what was published', async () => {
  await downloadChecked(`${server.url}/good`, join(dir, 'good'));
  expect(readFileSync(join(dir, 'good')).equals(GOOD)).toBe(true);
});

it('finds the sum in a list of many', async () => {
  await downloadChecked(`${server.url}/good`, join(dir, 'listed'), `${server.url}/list`);
  expect(readFileSync(join(dir, 'listed')).equals(GOOD)).toBe(true);
});

it.each([
  ['swapped', /not what was published/],
  ['no-sum', /holds no SHA-256 sum of no-sum/],
  ['of-another', /holds no SHA-256 sum of of-another/],
  ['absent', /answers 404/],
])('refuses "%s", and leaves nothing', async (name, why) => {
  await expect(downloadChecked(`${server.url}/${name}`, join(dir, name))).rejects.toThrow(why);
  expect(existsSync(join(dir, name))).toBe(false);
  expect((await readdir(dir)).filter((file) => file.endsWith('.partial'))).toEqual([]);
});
