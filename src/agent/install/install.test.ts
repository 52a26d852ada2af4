import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { execaSync } from 'execa';
import { beforeEach, describe, expect, it } from 'vitest';
import { makeTinyRoot } from '../../../test/support/tiny-root.ts';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import { type Host, HostError } from '../host/host.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { checkImage } from './check.ts';
import { compareVersions } from './downgrade.ts';
import { install } from './install.ts';
import { uninstall } from './uninstall.ts';

/** Gives files to root and enters roots, which only root may do. */
describe.runIf(process.getuid?.() === 0)('an image', () => {
  let folder: string;
  let root: string;
  let self: string;
  let host: Host;

  beforeEach(() => {
    folder = scratch();
    root = join(folder, 'root');
    self = put('program', 'new');
    mkdirSync(root);
    host = createLinuxHost({ root });
  });

  const put = (path: string, content: string): string => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
    return join(folder, path);
  };
  const putProgram = (path: string, content: string): string => {
    chmodSync(put(path, content), 0o755);
    return join(folder, path);
  };
  const at = (path: string) => join(root, path);
  const all = { shim: true, units: ['slipway.service', 'slipway-report.service'] } as const;
  const setUp = (version = '1.2.0') => install(host, { ...all, version, self });
  /** Everything below the root that is no directory. */
  const left = () =>
    execaSync('find', [root, '-not', '-type', 'd', '-printf', '%P\n']).stdout.split('\n').sort();

  it('gets everything twice as once, and is as before when all is taken back', async () => {
    expect((await setUp()).filter((line) => / written| -> /.test(line))).toHaveLength(4);
    expect((await setUp()).filter((line) => / written| -> /.test(line))).toEqual([]);
    chownSync(at('usr/local/bin/slipway'), 1000, 1000);
    expect((await setUp()).filter((line) => / written$/.test(line))).toHaveLength(1);
    expect(statSync(at('usr/local/bin/slipway')).uid).toBe(0);
    expect(readFileSync(at('usr/local/bin/slipway'), 'utf8')).toBe('new');
    expect(readlinkSync(at('usr/local/bin/kubeadm'))).toBe('slipway');
    for (const [target, unit] of [
      ['multi-user', 'slipway'],
      ['sysinit', 'slipway-report'],
    ]) {
      const link = at(`etc/systemd/system/${target}.target.wants/${unit}.service`);
      expect(readlinkSync(link)).toBe(`../${unit}.service`);
      expect(readFileSync(link, 'utf8')).toContain('ExecStart=/usr/local/bin/slipway');
    }
    put('root/etc/slipway/config.yaml', '');
    put('root/var/lib/slipway/journal.jsonl', '');
    expect(await uninstall(host, self, false)).toContain(`${at('usr/local/bin/slipway')} removed`);
    expect(left()).toEqual(['etc/slipway/config.yaml', 'var/lib/slipway/journal.jsonl']);
    await uninstall(host, self, true);
    expect(left()).toEqual(['etc/slipway/config.yaml']);
    expect(await uninstall(host, self, true)).toEqual([]);
  });

  it('stays while a kubelet gets its certificate by it', async () => {
    await setUp();
    put('root/etc/systemd/system/kubelet.service.d/20-slipway-credential.conf', '');
    const before = left();
    await expect(uninstall(host, self, true)).rejects.toThrow(/run slipway reset first/);
    expect(left()).toEqual(before);
  });

  it('keeps what is not Slipway: a foreign kubeadm, a unit that somebody has changed', async () => {
    await setUp();
    rmSync(at('usr/local/bin/kubeadm'));
    put('root/usr/local/bin/kubeadm', 'the real one');
    put('root/etc/systemd/system/slipway.service', 'mine');
    await expect(setUp()).rejects.toThrow('kubeadm is there and is not Slipway');
    expect(readFileSync(at('etc/systemd/system/slipway.service'), 'utf8')).toBe('mine');
    const done = await uninstall(host, self, false);
    expect(done).toContain(`${at('usr/local/bin/kubeadm')} stays: it is not Slipway`);
    expect(done).toContain(`${at('etc/systemd/system/slipway.service')} stays: it was changed`);
    expect(existsSync(at('usr/local/bin/kubeadm'))).toBe(true);
  });

  it('lies in /opt/bin on Flatcar, whose /usr is read-only, and its units say so', async () => {
    put('root/etc/os-release', 'NAME="Flatcar"\nID=flatcar\nID_LIKE=coreos\n');
    await setUp();
    expect(readlinkSync(at('opt/bin/kubeadm'))).toBe('slipway');
    expect(existsSync(at('usr'))).toBe(false);
    expect(readFileSync(at('etc/systemd/system/slipway.service'), 'utf8')).toContain(
      'ExecStart=/opt/bin/slipway bootstrap\n',
    );
    await uninstall(host, self, false);
    put('root/opt/bin/kubeadm', 'the real one');
    await expect(setUp()).rejects.toThrow('leave it there and give --report: what Ignition gets');
    await install(host, { shim: false, units: ['slipway-report.service'], version: '1.2.0', self });
    expect((await checkImage(host, self)).filter(({ ok }) => !ok)).toEqual([]);
  });

  it('has the program from a package: nothing is copied, and only the shim is taken back', async () => {
    self = putProgram('root/usr/bin/slipway', 'packaged');
    expect(await setUp()).toContain(`${at('usr/bin/slipway')} is this binary`);
    expect(readlinkSync(at('usr/local/bin/kubeadm'))).toBe('../../bin/slipway');
    expect(existsSync(at('etc/systemd/system'))).toBe(false);
    await uninstall(host, self, false);
    expect(left()).toEqual(['usr/bin/slipway']);
  });

  it('has one from a package and another beside it: who is called is the one that was set up last', async () => {
    const packaged = putProgram('root/usr/bin/slipway', 'packaged');
    await install(host, { shim: true, units: [], version: '1.1.0', self: packaged });
    expect(await setUp()).toContain(`${at('usr/local/bin/kubeadm')} -> slipway`);
    const missing = async () => (await checkImage(host, self)).flatMap(({ ok, what }) => (ok ? [] : [what]));
    expect(await missing()).toContain("no other program comes before the package's");
    const done = await uninstall(host, packaged, false);
    expect(done[0]).toBe(`${at('usr/local/bin/kubeadm')} stays: it is Slipway at another place`);
    await uninstall(host, self, false);
    expect(left()).toEqual(['usr/bin/slipway']);
    expect(await missing()).not.toContain("no other program comes before the package's");
  });

  it('says what helps where a system extension has made the folder of the shim read-only', async () => {
    self = putProgram('root/usr/bin/slipway', 'packaged');
    const symlink = () => Promise.reject(new HostError('linking: read-only file system', 'EROFS'));
    host = { ...host, files: { ...host.files, symlink } };
    await expect(setUp()).rejects.toThrow(
      /read-only.*ln -s \.\.\/\.\.\/bin\/slipway \/usr\/local\/bin\/kubeadm.*link \/opt\/slipway\/bin\/kubeadm to \/usr\/bin\/slipway/,
    );
  });

  it('refuses an older program over a newer one, and takes any over one that does not answer', async () => {
    const tiny = makeTinyRoot();
    rmSync(root, { recursive: true });
    renameSync(tiny.path, root);
    const newer = '#!/bin/sh\necho \'{ "version": "1.3.0" }\'\n';
    putProgram('root/usr/local/bin/slipway', newer);
    await expect(setUp('1.2.9')).rejects.toThrow('is slipway 1.3.0, newer than this 1.2.9');
    await setUp('1.3.0');
    put('root/usr/local/bin/slipway', 'another architecture');
    putProgram('root/usr/bin/slipway', newer);
    await expect(setUp('1.0.0')).rejects.toThrow('an older one is wanted, remove its package first');
    rmSync(at('usr/bin/slipway'));
    await setUp('1.0.0');
    expect(readFileSync(at('usr/local/bin/slipway'), 'utf8')).toBe('new');
  });

  it('is looked at for what its machines would lack', async () => {
    const missing = async () => (await checkImage(host, self)).filter(({ ok }) => !ok).map(({ why }) => why);
    expect(await missing()).toEqual([
      'run slipway install',
      expect.stringContaining('nothing starts Slipway at boot: slipway install --service'),
      expect.stringContaining('the network comes up without it: slipway install --service'),
      expect.stringContaining('slipway install --report'),
    ]);
    await install(host, { ...all, shim: false, version: '1.2.0', self });
    expect(await missing()).toEqual([expect.stringContaining('the network comes up without it')]);
    const units = [...all.units, 'slipway-network.service'] as const;
    await install(host, { shim: false, units, version: '1.2.0', self });
    expect(await missing()).toEqual([]);
    chmodSync(at('usr/local/bin/slipway'), 0o644);
    expect(await missing()).toEqual(['nobody can run it: chmod 755 /usr/local/bin/slipway']);
    // Everything that starts it is root.
    chmodSync(at('usr/local/bin/slipway'), 0o750);
    expect(await missing()).toEqual([]);
    chmodSync(at('usr/local/bin/slipway'), 0o755);
    put('root/usr/bin/cloud-init', '');
    expect(await missing()).toEqual([expect.stringContaining('slipway install --shim')]);
    symlinkSync('/usr/local/bin/slipway', at('usr/local/bin/kubeadm'));
    expect(await missing()).toEqual([]);
    put('root/etc/cloud/cloud-init.disabled', '');
    put('root/var/lib/slipway/journal.jsonl', '');
    put('root/etc/machine-id', '0123456789abcdef0123456789abcdef\n');
    expect(await missing()).toEqual([
      expect.stringContaining('every machine of the image would go on with it'),
      expect.stringContaining('/etc/machine-id would be the same'),
    ]);
  });

  it('with a package finds the units of the package', async () => {
    putProgram('root/usr/bin/slipway', 'packaged');
    for (const link of [
      'multi-user.target.wants/slipway',
      'multi-user.target.wants/slipway-network',
      'sysinit.target.wants/slipway-report',
    ]) {
      const path = at(`usr/lib/systemd/system/${link}.service`);
      mkdirSync(dirname(path), { recursive: true });
      symlinkSync('../x.service', path);
    }
    expect((await checkImage(host, self)).every(({ ok }) => ok)).toBe(true);
    mkdirSync(at('etc/systemd/system'), { recursive: true });
    symlinkSync('/dev/null', at('etc/systemd/system/slipway-report.service'));
    expect((await checkImage(host, self)).flatMap(({ why }) => why ?? [])).toEqual([
      'it is masked: systemctl unmask slipway-report.service',
    ]);
    await expect(setUp()).rejects.toThrow('slipway-report.service is masked');
  });

  it('with a system extension finds what its target starts, which needs no links', async () => {
    putProgram('root/usr/bin/slipway', 'packaged');
    put('root/usr/lib/systemd/system/slipway-boot.target', '');
    expect((await checkImage(host, self)).filter(({ ok }) => !ok)).toEqual([]);
  });
});

it.each([
  ['1.2.3', '1.2.3', 0],
  ['1.10.0', '1.9.9', 1],
  ['1.0.0-rc.1', '1.0.0', -1],
  ['1.0.0-rc.10', '1.0.0-rc.9', 1],
  ['0.1.0', '0.1.0+build', 0],
])('compares %s with %s', (a, b, sign) => {
  expect(Math.sign(compareVersions(a, b))).toBe(sign);
  expect(Math.sign(compareVersions(b, a))).toBe(sign === 0 ? 0 : -sign);
});
