import {
  chownSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { makeTinyRoot } from '../../../test/support/tiny-root.ts';
import { type Host, HostError } from '../host/host.ts';
import { checkImage } from './check-image.ts';
import { type ImageScene, imageScene } from './fixtures/image-scene.ts';
import { compareVersions, install } from './install.ts';
import { REPORT_UNITS } from './layout.ts';
import { uninstall } from './uninstall.ts';

/** Gives files to root and enters roots, which only root may do. */
describe.runIf(process.getuid?.() === 0)('an image', () => {
  let image: ImageScene;
  let root: string;
  let self: string;
  let host: Host;

  beforeEach(() => {
    image = imageScene();
    ({ root, self, host } = image);
  });

  const put: ImageScene['put'] = (...of) => image.put(...of);
  const putProgram: ImageScene['putProgram'] = (...of) => image.putProgram(...of);
  const at: ImageScene['at'] = (path) => image.at(path);
  const left = () => image.left();
  const all = { shim: true, units: ['slipway.service', ...REPORT_UNITS] } as const;
  const setUp = (version = '1.2.0') => install(host, { ...all, version, self });

  it('gets everything twice as once, and is as before when all is taken back', async () => {
    expect((await setUp()).filter((line) => / written| -> /.test(line))).toHaveLength(7);
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
    const checkIn = (kind: string) => at(`etc/systemd/system/slipway-checkin.${kind}`);
    expect(readFileSync(checkIn('service'), 'utf8')).toContain('ExecStart=/usr/local/bin/slipway check-in\n');
    expect(existsSync(checkIn('timer'))).toBe(true);
    const wants = at('etc/systemd/system/multi-user.target.wants');
    expect(readdirSync(wants).sort()).toEqual(['slipway-checkin.path', 'slipway.service']);
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
    await install(host, { shim: false, units: REPORT_UNITS, version: '1.2.0', self });
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
    const missing = async () => (await checkImage(host, self)).flatMap(({ ok, text }) => (ok ? [] : [text]));
    expect(await missing()).toContainEqual(expect.stringContaining('takes precedence over the package'));
    const done = await uninstall(host, packaged, false);
    expect(done[0]).toBe(`${at('usr/local/bin/kubeadm')} stays: it is Slipway at another place`);
    await uninstall(host, self, false);
    expect(left()).toEqual(['usr/bin/slipway']);
    expect(await missing()).not.toContainEqual(expect.stringContaining('takes precedence over the package'));
  });

  it('has the name kubeadm lead to Slipway at every moment while the program moves', async () => {
    await install(host, { shim: true, units: [], version: '1.2.0', self });
    const other = { ...host, files: { ...host.files } };
    other.files.rename = () => Promise.reject(new HostError('killed', 'EIO'));
    self = putProgram('root/usr/bin/slipway', 'packaged');
    await expect(install(other, { shim: true, units: [], version: '1.2.0', self })).rejects.toThrow('killed');
    expect(readlinkSync(at('usr/local/bin/kubeadm'))).toBe('slipway');
    await install(host, { shim: true, units: [], version: '1.2.0', self });
    expect(left()).toEqual(['usr/bin/slipway', 'usr/local/bin/kubeadm', 'usr/local/bin/slipway']);
    expect(readlinkSync(at('usr/local/bin/kubeadm'))).toBe('../../bin/slipway');
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
