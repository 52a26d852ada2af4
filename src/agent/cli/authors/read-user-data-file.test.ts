import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scratch } from '../../../../test/support/tmp/scratch.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { readUserDataFile } from './read-user-data-file.ts';

const CLOUD_CFG =
  'users: [default]\nlocale: C\nsystem_info:\n  default_user: {name: debian, groups: [adm, sudo], shell: /bin/bash}\n';

async function read(userData: string, cloudCfg?: string) {
  const root = scratch();
  mkdirSync(join(root, 'etc/cloud'), { recursive: true });
  if (cloudCfg !== undefined) writeFileSync(join(root, 'etc/cloud/cloud.cfg'), cloudCfg);
  const image = createLinuxHost({ root });
  const raw = Buffer.from(`#cloud-config\n${userData}`);
  return readUserDataFile(createLinuxHost({ root: '/' }), raw, undefined, image);
}

it.each([
  ['user: {name: ops}\n', ['ops', '/bin/bash']],
  ['user: {name: ops, shell: /bin/sh}\nusers: [default]\n', ['ops', '/bin/sh']],
  ['users: [default]\n', ['debian', '/bin/bash']],
])('an image says what its default user is: %j', async (userData, [name, shell]) => {
  const { users, system, report } = await read(userData, CLOUD_CFG);
  expect(users).toMatchObject([{ name, shell, groups: ['adm', 'sudo'] }]);
  expect(report).toEqual([]);
  expect(system).toBeUndefined();
});

it('makes nobody of whom the user data does not speak', async () => {
  expect((await read('write_files: [{path: /a}]\n', CLOUD_CFG)).users).toEqual([]);
});

it.each([
  ['no cloud.cfg', undefined],
  ['one that says nothing of it', 'users: [default]\n'],
])('warns where nobody says what the default user is: %s', async (_name, cloudCfg) => {
  const { users, report } = await read('locale: false\nuser: ops\n', cloudCfg);
  expect(users).toMatchObject([{ name: 'ops', groups: [] }]);
  expect(report).toEqual([
    expect.objectContaining({
      severity: 'warning',
      message: expect.stringMatching(/^user: ops gets no groups.*the image has none/),
      where: { line: 3, column: 7 },
    }),
  ]);
});

it('names the file of an image that says nothing of a default user', async () => {
  const { users, report } = await read('locale: false\nusers: [default]\n');
  expect(users).toEqual([]);
  expect(report).toEqual([
    expect.objectContaining({
      severity: 'warning',
      message: expect.stringMatching(/this image.s \/etc\/cloud\/cloud\.cfg has no .*default_user/),
      where: { line: 3, column: 9 },
    }),
  ]);
});

it('says that the file of an image is no YAML, where it says nothing of a default user for that', async () => {
  const { users, report } = await read('locale: false\nusers: [default]\n', 'users: [a\n');
  expect(users).toEqual([]);
  expect(report.map(({ severity, message }) => [severity, message])).toEqual([
    ['warning', expect.stringMatching(/^\/etc\/cloud\/cloud.cfg of the image is not valid YAML/)],
    ['warning', expect.stringMatching(/^users: default has no effect/)],
  ]);
});
