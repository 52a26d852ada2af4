import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Files } from '../../files.ts';
import { createFiles } from './files.ts';

const mayMount = spawnSync('unshare', ['--mount', 'true']).status === 0;

describe.runIf(mayMount)('a file system that takes no file (needs root)', () => {
  let root: string;
  const mount = (options: string) =>
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', join(root, 'etc')]);
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'slipway-files-'));
    mkdirSync(join(root, 'etc'));
  });
  afterEach(() => {
    execFileSync('umount', [join(root, 'etc')]);
    rmSync(root, { recursive: true, force: true });
  });

  it('is named as read-only below directories that are missing too', async () => {
    mount('ro');
    const files = createFiles(root);
    for (const attempt of [
      files.write('/etc/new/er/file', 'x'),
      files.mkdir('/etc/new/er'),
      files.symlink('a', '/etc/new/link'),
      files.openAppend('/etc/new/log', 0o600),
    ])
      await expect(attempt).rejects.toMatchObject({
        errno: 'EROFS',
        message: expect.stringMatching(/read-only file system$/),
      });
  });

  it('is named for its inodes where these are used up', async () => {
    mount('nr_inodes=2');
    const files = createFiles(root);
    await files.write('/etc/one', '');
    await expect(files.write('/etc/two', '')).rejects.toMatchObject({
      errno: 'ENOSPC',
      message: 'writing /etc/two: no inodes left, the file system holds too many files',
    });
    await expect(files.mkdir('/etc/new/er')).rejects.toMatchObject({
      message: expect.stringMatching(/no inodes left/),
    });
  });

  it('is named for its inodes where files that are written together use them up', async () => {
    mount('nr_inodes=4');
    const files = createFiles(root);
    const writes = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ path: `/etc/${name}`, content: '' }));
    await expect(files.writeAll(writes)).rejects.toMatchObject({
      message: 'writing /etc/d: no inodes left, the file system holds too many files',
    });
  });
});

describe.runIf(process.getuid?.() === 0)('directories made for a file (needs root)', () => {
  let root: string;
  let files: Files;
  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'slipway-files-'));
    files = createFiles(root);
    await files.write('/etc/passwd', 'app:x:1234:2345::/:/bin/sh\n');
    await files.mkdir('/srv');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const owners = (...paths: string[]) =>
    paths.map((path) => {
      const { uid, gid, mode } = statSync(join(root, path));
      return `${path} ${uid}:${gid} ${(mode & 0o7777).toString(8)}`;
    });

  it('get its owner where that is asked for, those that were there keep theirs', async () => {
    await files.write('/srv/app/data/file', 'x', { mode: 0o600, owner: 'app', ownsParents: true });
    expect(owners('/srv', '/srv/app', '/srv/app/data', '/srv/app/data/file')).toEqual([
      '/srv 0:0 755',
      '/srv/app 1234:2345 755',
      '/srv/app/data 1234:2345 755',
      '/srv/app/data/file 1234:2345 600',
    ]);
    await files.write('/srv/app/other', 'x', { owner: 'root', ownsParents: true });
    expect(owners('/srv/app')).toEqual(['/srv/app 1234:2345 755']);
  });

  it("are the agent's own else", async () => {
    await files.write('/srv/app/file', 'x', { owner: 'app' });
    expect(owners('/srv/app', '/srv/app/file')).toEqual(['/srv/app 0:0 755', '/srv/app/file 1234:2345 644']);
  });

  it('are not made for an owner that is not there', async () => {
    await expect(files.write('/srv/app/file', 'x', { owner: 'nobody', ownsParents: true })).rejects.toThrow(
      '/srv/app/file cannot be written: there is no user "nobody"',
    );
    expect(await files.list('/srv')).toEqual([]);
  });
});
