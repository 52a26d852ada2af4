import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import { createLinuxHost } from './linux/host.ts';
import { writableByOthers } from './writable-by-others.ts';

let root: string;
beforeEach(() => {
  root = scratch();
  mkdirSync(join(root, 'etc'));
  chmodSync(join(root, 'etc'), 0o755);
  writeFileSync(join(root, 'etc/a'), 'x');
  chmodSync(join(root, 'etc/a'), 0o644);
});
const why = (path: string) => writableByOthers(createLinuxHost({ root }), path);

it('trusts what only root can change, also behind a link, and what is missing', async () => {
  symlinkSync('a', join(root, 'etc/link'));
  for (const path of ['/etc/a', '/etc/link', '/etc/missing', '/not/there'])
    expect(await why(path)).toBeUndefined();
});

it('says who else could have written it', async () => {
  for (const mode of [0o664, 0o646]) {
    chmodSync(join(root, 'etc/a'), mode);
    expect(await why('/etc/a')).toBe(`/etc/a can be written by others than root (mode 0${mode.toString(8)})`);
  }
  chmodSync(join(root, 'etc/a'), 0o600);
  chmodSync(join(root, 'etc'), 0o777);
  expect(await why('/etc/a')).toMatch(/^the directory of \/etc\/a can be written/);
});

it('looks at the whole way to it, and at the way to a link', async () => {
  mkdirSync(join(root, 'srv/app/conf'), { recursive: true, mode: 0o755 });
  symlinkSync('/etc/a', join(root, 'srv/app/conf/link'));
  writeFileSync(join(root, 'srv/app/conf/b'), 'x', { mode: 0o600 });
  for (const path of ['/srv/app/conf/b', '/srv/app/conf/link']) expect(await why(path)).toBeUndefined();
  // Whoever may rename conf puts another one in its place.
  chmodSync(join(root, 'srv/app'), 0o777);
  for (const path of ['/srv/app/conf/b', '/srv/app/conf/link'])
    expect(await why(path)).toMatch(new RegExp(`^${root}/srv/app, on the way to ${path}, can be written`));
  // As in /tmp, where nobody may.
  chmodSync(join(root, 'srv/app'), 0o1777);
  expect(await why('/srv/app/conf/b')).toBeUndefined();
  chmodSync(join(root, 'srv/app/conf'), 0o1777);
  expect(await why('/srv/app/conf/link')).toMatch(/^the directory of \/srv\/app\/conf\/link can be written/);
});

it('looks at the directory of each link on the way, the middle ones too', async () => {
  mkdirSync(join(root, 'opt/team/current'), { recursive: true, mode: 0o755 });
  mkdirSync(join(root, 'opt/conf'), { mode: 0o755 });
  writeFileSync(join(root, 'opt/conf/a'), 'x', { mode: 0o600 });
  // /etc/link -> /opt/team/current/a -> /opt/conf/a, and /etc/dir/a by way of /opt/team/dir.
  symlinkSync('/opt/conf/a', join(root, 'opt/team/current/a'));
  symlinkSync('../opt/team/current/a', join(root, 'etc/link'));
  symlinkSync('/opt/conf', join(root, 'opt/team/dir'));
  symlinkSync('/opt/team/dir', join(root, 'etc/dir'));
  for (const path of ['/etc/link', '/etc/dir/a']) expect(await why(path)).toBeUndefined();
  for (const mode of [0o777, 0o1777]) {
    chmodSync(join(root, 'opt/team/current'), mode);
    expect(await why('/etc/link')).toMatch(
      `${root}/opt/team/current, on the way to /etc/link, can be written`,
    );
    chmodSync(join(root, 'opt/team/current'), 0o755);
    chmodSync(join(root, 'opt/team'), mode);
    expect(await why('/etc/dir/a')).toMatch(`${root}/opt/team, on the way to /etc/dir/a, can be written`);
    chmodSync(join(root, 'opt/team'), 0o755);
  }
});

it('asks nobody who owns the folder that an image lies in', async () => {
  chmodSync(root, 0o777);
  expect(await why('/etc/a')).toBeUndefined();
});

it.runIf(process.getuid?.() === 0)('trusts no file of an ordinary user (needs root)', async () => {
  chownSync(join(root, 'etc/a'), 54_321, 0);
  expect(await why('/etc/a')).toBe('/etc/a belongs to user 54321, not root');
});
