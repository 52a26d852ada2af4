import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFiles } from './files.ts';

/** A user whom no machine has. */
const ALICE = 54_321;
const files = createFiles('/');

describe.runIf(process.getuid?.() === 0)('a directory of somebody else (needs root)', () => {
  let base: string;
  let home: string;
  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'slipway-foreign-'));
    chmodSync(base, 0o755);
    home = join(base, 'alice');
    mkdirSync(home);
    chownSync(home, ALICE, ALICE);
    mkdirSync(join(base, 'victim'));
    writeFileSync(join(base, 'victim/secret'), 'only for root\n', { mode: 0o600 });
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  /** As if the user had made it. */
  const aliceLinks = (target: string, name: string) =>
    execFileSync('ln', ['-s', target, join(home, name)], { uid: ALICE, gid: ALICE });
  const told = (path: string) => {
    const { uid, gid, mode } = statSync(path);
    return `${uid}:${gid} ${(mode & 0o7777).toString(8)}`;
  };

  it('gets files and directories for its owner, and for root', async () => {
    const owner = `${ALICE}:${ALICE}`;
    await files.write(join(home, '.ssh/authorized_keys'), 'x', {
      ...{ mode: 0o640, owner, ownsParents: true, parentsMode: 0o700 },
    });
    expect(told(join(home, '.ssh'))).toBe(`${ALICE}:${ALICE} 700`);
    expect(told(join(home, '.ssh/authorized_keys'))).toBe(`${ALICE}:${ALICE} 640`);
    for (const name of ['a', 'b'])
      await files.write(join(home, 'new/er', name), name, { owner: 'root', ownsParents: true });
    expect([told(join(home, 'new')), told(join(home, 'new/er/b'))]).toEqual(['0:0 755', '0:0 644']);
  });

  it('leads root nowhere by a link, whatever root does there', async () => {
    aliceLinks(join(base, 'victim'), 'link');
    aliceLinks(join(base, 'victim/secret'), 'file');
    const refused = { errno: 'ELOOP' };
    for (const attempt of [
      files.write(join(home, 'link/new'), 'x'),
      files.write(join(home, 'file'), 'x'),
      files.mkdir(join(home, 'link/directory')),
      files.remove(join(home, 'link/secret')),
      files.symlink('x', join(home, 'link/other')),
      files.openAppend(join(home, 'file'), 0o600),
    ])
      await expect(attempt).rejects.toMatchObject(refused);
    expect(await files.list(join(base, 'victim'))).toEqual(['secret']);
    expect(readFileSync(join(base, 'victim/secret'), 'utf8')).toBe('only for root\n');
  });

  it('is read with the rights of its owner', async () => {
    aliceLinks(join(base, 'victim/secret'), 'file');
    await expect(files.readIfPresent(join(home, 'file'))).rejects.toMatchObject({ errno: 'EACCES' });
    await expect(files.readFrom(join(home, 'file'), 0, 10)).rejects.toMatchObject({ errno: 'EACCES' });
    chmodSync(join(base, 'victim/secret'), 0o644);
    expect((await files.readIfPresent(join(home, 'file')))?.toString()).toBe('only for root\n');
    expect(process.geteuid?.()).toBe(0);
  });

  it('does not make root wait, or read without an end', async () => {
    execFileSync('mkfifo', [join(home, 'pipe')]);
    aliceLinks('/dev/zero', 'zero');
    for (const name of ['pipe', 'zero']) {
      const noFile = { errno: 'EINVAL', message: expect.stringMatching(/is not a regular file$/) };
      await expect(files.readIfPresent(join(home, name))).rejects.toMatchObject(noFile);
      await expect(files.readFrom(join(home, name), 0, 10)).rejects.toMatchObject(noFile);
    }
    await expect(files.write(join(home, 'pipe'), 'x')).rejects.toMatchObject({ errno: 'EINVAL' });
    execFileSync('truncate', ['-s', '1T', join(home, 'large')]);
    await expect(files.readIfPresent(join(home, 'large'))).rejects.toMatchObject({ errno: 'EFBIG' });
  });

  it('may be where a link of root leads', async () => {
    symlinkSync(home, join(base, 'home'));
    await files.write(join(base, 'home/file'), 'x');
    expect(readFileSync(join(home, 'file'), 'utf8')).toBe('x');
  });

  it('is one that everybody may write to, too', async () => {
    const open = join(base, 'open');
    mkdirSync(open);
    chmodSync(open, 0o777);
    symlinkSync(join(base, 'victim/secret'), join(open, 'link'));
    await expect(files.write(join(open, 'link'), 'x')).rejects.toMatchObject({ errno: 'ELOOP' });
    await expect(files.readIfPresent(join(open, 'link'))).rejects.toMatchObject({ errno: 'EACCES' });
    chmodSync(open, 0o1777);
    expect((await files.readIfPresent(join(open, 'link')))?.toString()).toBe('only for root\n');
  });
});

describe('a file behind a link', () => {
  let base: string;
  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'slipway-link-'));
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  it('is replaced as a whole, with the mode that is asked, and stays behind the link', async () => {
    writeFileSync(join(base, 'target'), 'a much longer text than the new one\n', { mode: 0o644 });
    symlinkSync('target', join(base, 'link'));
    await files.write(join(base, 'link'), 'short\n', { mode: 0o600 });
    expect(readlinkSync(join(base, 'link'))).toBe('target');
    expect(readFileSync(join(base, 'target'), 'utf8')).toBe('short\n');
    expect(statSync(join(base, 'target')).mode & 0o777).toBe(0o600);
  });

  it('is made where the link leads to nothing', async () => {
    symlinkSync('new', join(base, 'link'));
    await files.write(join(base, 'link'), 'x', { mode: 0o640 });
    expect(lstatSync(join(base, 'new')).mode & 0o777).toBe(0o640);
  });

  it('keeps what another name of the old file shows', async () => {
    writeFileSync(join(base, 'one'), 'old', { mode: 0o644 });
    execFileSync('ln', [join(base, 'one'), join(base, 'two')]);
    await files.write(join(base, 'one'), 'new', { mode: 0o600 });
    expect([readFileSync(join(base, 'one'), 'utf8'), readFileSync(join(base, 'two'), 'utf8')]).toEqual([
      'new',
      'old',
    ]);
  });
});
