import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Files } from '../../host.ts';
import { createFiles } from './files.ts';

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
      'there is no user "nobody"',
    );
    expect(await files.list('/srv')).toEqual([]);
  });
});
