import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { loadDocument } from './load.ts';

const STUB = {
  ...{ machine: '6ad2', expires: '2026-11-22T12:00:00Z', digest: `sha256:${'a'.repeat(64)}` },
  ...{ part: 'controller', key: 'controller' },
};

let root: string;
beforeEach(() => {
  root = scratch();
  mkdirSync(join(root, 'etc/slipway'), { recursive: true });
});

test.each(['metadata: [ec2]', 'metadata: nowhere', 'elsewhere: ec2'])(
  'settings of sources that are wrong (%s) are to be corrected, and no seed is missing',
  async (settings) => {
    writeFileSync(join(root, 'etc/slipway/sources.yaml'), settings);
    expect(await loadDocument(createLinuxHost({ root }), {})).toMatchObject({
      kind: 'none',
      permanent: true,
      failure: { code: 'UserDataInvalid', cause: expect.stringMatching(/^\/etc\/slipway\/sources\.yaml/) },
    });
  },
);

describe('what is wrong with the user data of an instance', () => {
  const seeded = async (userData: string) => {
    const seed = join(root, 'var/lib/cloud/seed/nocloud');
    mkdirSync(seed, { recursive: true });
    writeFileSync(join(seed, 'meta-data'), 'instance-id: i-1\n');
    writeFileSync(join(seed, 'user-data'), userData);
    writeFileSync(join(root, 'etc/.ignition-result.json'), '{}');
    return loadDocument(createLinuxHost({ root }), {});
  };

  test.each([
    ['nothing', '', 'UserDataEmpty'],
    ['what is not to be had', '#include\nhttp://127.0.0.1:1/\n', 'ResourceNotFetched'],
    [
      'what is somewhere else',
      `#cloud-config\nslipway: {sealed: ${JSON.stringify(STUB)}}\n`,
      'UserDataSealed',
    ],
    ['what Ignition does', '{"ignition": {"version": "3.4.0"}}', 'IgnitionHasRun'],
  ])('says whose they are: %s', async (_, userData, code) => {
    expect(await seeded(userData)).toMatchObject({ kind: 'none', failure: { code }, instance: 'i-1' });
  });
});

describe('a file of user data that is there and cannot be read', () => {
  const named = (userDataFile: string) => loadDocument(createLinuxHost({ root: '/' }), { userDataFile });

  test.each([
    ['folder', () => mkdirSync(join(root, 'folder')), 'UserDataUnreadable', / is a directory\.$/],
    ['gone', () => undefined, 'UserDataNotFound', / no such file or directory\.$/],
    ['etc/slipway/x', () => undefined, 'UserDataNotFound', / no such file or directory\.$/],
    [
      'pipe',
      () => execFileSync('mkfifo', [join(root, 'pipe')]),
      'UserDataUnreadable',
      /and nobody wrote into it/,
    ],
  ])('is none that is missing: %s', async (name, make, code, cause) => {
    make();
    expect(await named(join(root, name))).toMatchObject({
      kind: 'none',
      permanent: true,
      failure: {
        code,
        cause: expect.stringMatching(cause),
        remedy: expect.stringMatching(/^Pass existing, readable files/),
      },
    });
  });

  test('of a seed is none that is missing either', async () => {
    mkdirSync(join(root, 'var/lib/cloud/seed/nocloud/user-data'), { recursive: true });
    writeFileSync(join(root, 'var/lib/cloud/seed/nocloud/meta-data'), 'instance-id: i-1\n');
    expect(await loadDocument(createLinuxHost({ root }), {})).toMatchObject({
      failure: { code: 'UserDataUnreadable', cause: expect.stringMatching(/user-data: is a directory\.$/) },
    });
  });
});
