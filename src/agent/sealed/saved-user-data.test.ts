import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import { SEALED_KEPT } from '../document/paths.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { readSavedUserData, recordDeletion, saveUserData } from './saved-user-data.ts';

const THESE = { digest: 'sha256:1' };
let root: string;

beforeEach(() => {
  root = scratch();
});

const host = () => createLinuxHost({ root });
const mode = (path: string) => (statSync(join(root, path)).mode & 0o7777).toString(8);

it('are for root alone, also where a file that all may read was in their place', async () => {
  await saveUserData(host(), THESE, Buffer.from('black'));
  expect([mode(SEALED_KEPT), mode(join(SEALED_KEPT, '..'))]).toEqual(['600', '700']);
  chmodSync(join(root, SEALED_KEPT), 0o644);
  await recordDeletion(host(), THESE);
  expect(mode(SEALED_KEPT)).toBe('600');
  const kept = await readSavedUserData(host(), THESE);
  expect([kept?.userData.toString(), kept?.isSpent]).toEqual(['black', true]);
});

it('are of those user data alone that they were made of', async () => {
  await saveUserData(host(), THESE, Buffer.from('black'));
  const others = { digest: 'sha256:2' };
  expect(await readSavedUserData(host(), others)).toBeUndefined();
  await recordDeletion(host(), others);
  expect((await readSavedUserData(host(), THESE))?.isSpent).toBe(false);
});

it.each([
  '',
  '{',
  'null',
  '[]',
  '{"version":2,"digest":"sha256:1","userData":""}',
  '{"version":1,"digest":"sha256:1"}',
])('are as if they were not there where they are damaged: %s', async (text) => {
  await saveUserData(host(), THESE, Buffer.from('black'));
  writeFileSync(join(root, SEALED_KEPT), text);
  expect(await readSavedUserData(host(), THESE)).toBeUndefined();
});
