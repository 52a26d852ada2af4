import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
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

  it('gets several files at once', async () => {
    const options = { owner: `${ALICE}:${ALICE}`, ownsParents: true };
    const names = ['.ssh/config', '.ssh/known_hosts', '.profile', '.kube/config'];
    await files.writeAll(names.map((name) => ({ path: join(home, name), content: name, options })));
    expect(names.map((name) => readFileSync(join(home, name), 'utf8'))).toEqual(names);
    expect(readdirSync(join(home, '.ssh'))).toHaveLength(2);
  });

  it('is read, and found to be empty, in an image that lies where only root gets at', async () => {
    const image = join(base, 'image');
    mkdirSync(join(image, 'home/alice'), { recursive: true });
    mkdirSync(join(image, 'tmp'));
    chmodSync(join(image, 'tmp'), 0o1777);
    chownSync(join(image, 'home/alice'), ALICE, ALICE);
    for (const above of [image, base]) chmodSync(above, 0o700);
    const within = createFiles(image);
    await within.write('/home/alice/there', 'x', { owner: `${ALICE}:${ALICE}` });
    expect((await within.read('/home/alice/there')).toString()).toBe('x');
    for (const path of ['/home/alice/missing', '/tmp/missing', '/tmp/missing/too'])
      expect(await within.readIfPresent(path), path).toBeUndefined();
    // Where a link of hers leads, she needs the rights for the whole way.
    symlinkSync('/tmp/missing', join(image, 'home/alice/link'));
    await expect(within.readIfPresent('/home/alice/link')).rejects.toThrow('permission denied');
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

  it('does not make root wait to add to a file', async () => {
    execFileSync('mkfifo', [join(home, 'pipe')]);
    const reader = spawn('cat', [join(home, 'pipe')]);
    try {
      // With a reader, and without one.
      for (const _ of [1, 2])
        await expect(files.openAppend(join(home, 'pipe'), 0o600)).rejects.toMatchObject({
          errno: expect.stringMatching(/EINVAL|ENXIO/),
        });
    } finally {
      reader.kill('SIGKILL');
      await once(reader, 'close');
    }
  });

  it('gives attributes to what is there and to nothing else, however fast its owner changes it', async () => {
    const secret = join(base, 'victim/secret');
    const swap = `const { openSync, closeSync, renameSync, symlinkSync } = require('node:fs');
      process.setgid(${ALICE}); process.setuid(${ALICE});
      closeSync(openSync('real', 'w')); symlinkSync(${JSON.stringify(secret)}, 'link');
      process.stdout.write('x');
      for (;;) { renameSync('real', 'file'); renameSync('file', 'real'); renameSync('link', 'file'); renameSync('file', 'link'); }`;
    const user = spawn(process.execPath, ['-e', swap], { cwd: home });
    try {
      await once(user.stdout, 'data');
      for (let round = 0; round < 5_000 && told(secret) === '0:0 600'; round += 1)
        await files
          .setAttributes(join(home, 'file'), { mode: 0o644, uid: ALICE, gid: ALICE })
          .catch(() => undefined);
    } finally {
      user.kill('SIGKILL');
      await once(user, 'close');
    }
    expect(told(secret)).toBe('0:0 600');
    aliceLinks(secret, 'own');
    await files.setAttributes(join(home, 'own'), { mode: 0o644, uid: ALICE, gid: 0 });
    expect([lstatSync(join(home, 'own')).gid, told(secret)]).toEqual([0, '0:0 600']);
    await files.write(join(home, 'plain'), '');
    await files.setAttributes(join(home, 'plain'), { mode: 0o4750, uid: ALICE, gid: 0 });
    expect(told(join(home, 'plain'))).toBe(`${ALICE}:0 4750`);
  });

  it('renames nothing beyond it by links', async () => {
    await files.write(join(home, 'mine'), 'x');
    aliceLinks(join(base, 'victim'), 'link');
    for (const [from, to] of [
      ['mine', 'link/secret'],
      ['link/secret', 'stolen'],
    ] as const)
      await expect(files.rename(join(home, from), join(home, to))).rejects.toMatchObject({ errno: 'ELOOP' });
    expect(readFileSync(join(base, 'victim/secret'), 'utf8')).toBe('only for root\n');
    await files.rename(join(home, 'mine'), join(home, 'yours'));
    expect(readFileSync(join(home, 'yours'), 'utf8')).toBe('x');
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

describe.runIf(process.getuid?.() === 0)('a directory such as /tmp (needs root)', () => {
  let shared: string;
  let victim: string;
  beforeEach(() => {
    const base = mkdtempSync(join(tmpdir(), 'slipway-shared-'));
    chmodSync(base, 0o755);
    [shared, victim] = [join(base, 'tmp'), join(base, 'victim')];
    mkdirSync(victim);
    mkdirSync(shared);
    chmodSync(shared, 0o1777);
  });
  afterEach(() => rmSync(dirname(shared), { recursive: true, force: true }));

  it('leads root nowhere by what somebody puts there at the very moment', async () => {
    // As if the user had it ready, with a link in it, and showed it again and again.
    const swap = `const { mkdirSync, renameSync, symlinkSync } = require('node:fs');
      process.setgid(${ALICE}); process.setuid(${ALICE});
      mkdirSync('ready'); symlinkSync(${JSON.stringify(victim)}, 'ready/conf');
      process.stdout.write('x');
      for (;;) try { renameSync('ready', 'app'); renameSync('app', 'ready'); } catch {}`;
    const user = spawn(process.execPath, ['-e', swap], { cwd: shared });
    try {
      await once(user.stdout, 'data');
      for (let round = 0; round < 500 && readdirSync(victim).length === 0; round += 1) {
        await files.write(join(shared, 'app/conf/file'), 'x', { volatile: true }).catch(() => undefined);
        const made = lstatSync(join(shared, 'app'), { throwIfNoEntry: false });
        if (made?.uid === 0) rmSync(join(shared, 'app'), { recursive: true });
      }
    } finally {
      user.kill('SIGKILL');
      await once(user, 'close');
    }
    expect(readdirSync(victim)).toEqual([]);
  });

  it('gets several files in a directory that the first of them makes', async () => {
    const paths = ['a', 'b', 'c'].map((name) => join(shared, 'new', name));
    await files.writeAll(paths.map((path) => ({ path, content: path })));
    expect(paths.map((path) => readFileSync(path, 'utf8'))).toEqual(paths);
    expect(readdirSync(join(shared, 'new'))).toHaveLength(3);
  });

  it('gets directories for the owner of a file', async () => {
    const owner = `${ALICE}:${ALICE}`;
    await files.write(join(shared, 'new/er/file'), 'x', { owner, ownsParents: true, parentsMode: 0o750 });
    await files.write(join(shared, 'mine/er/file'), 'x');
    const uids = ['new', 'new/er', 'new/er/file', 'mine', 'mine/er/file'].map(
      (name) => statSync(join(shared, name)).uid,
    );
    expect(uids).toEqual([ALICE, ALICE, ALICE, 0, 0]);
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
