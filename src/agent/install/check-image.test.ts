import { chmodSync, realpathSync, rmSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Host } from '../host/host.ts';
import { checkImage, hasCaller } from './check-image.ts';
import { type ImageScene, imageScene } from './fixtures/image-scene.ts';
import { install } from './install.ts';
import { REPORT_UNITS } from './layout.ts';
import { uninstall } from './uninstall.ts';

/** Gives files to root and enters roots, which only root may do. */
describe.runIf(process.getuid?.() === 0)('an image', () => {
  let image: ImageScene;
  let self: string;
  let host: Host;

  beforeEach(() => {
    image = imageScene();
    ({ self, host } = image);
  });

  const put: ImageScene['put'] = (...of) => image.put(...of);
  const at: ImageScene['at'] = (path) => image.at(path);
  const all = { shim: true, units: ['slipway.service', ...REPORT_UNITS] } as const;
  const missing = async () => (await checkImage(host, self)).flatMap(({ ok, text }) => (ok ? [] : [text]));

  it('is looked at for what its machines would lack', async () => {
    expect(await missing()).toEqual([
      expect.stringMatching(/^\S+slipway is missing; run slipway install$/),
      expect.stringContaining('nothing starts Slipway at boot; run slipway install --service'),
      expect.stringContaining('without the network configuration of the seed; run slipway install --service'),
      expect.stringContaining('progress is not reported; run slipway install --report'),
      expect.stringContaining('machines do not check in'),
    ]);
    await install(host, { ...all, shim: false, version: '1.2.0', self });
    expect(await missing()).toEqual([
      expect.stringContaining('without the network configuration of the seed'),
    ]);
    const units = [...all.units, 'slipway-network.service'] as const;
    await install(host, { shim: false, units, version: '1.2.0', self });
    expect(await missing()).toEqual([]);
    chmodSync(at('usr/local/bin/slipway'), 0o644);
    expect(await missing()).toEqual([
      '/usr/local/bin/slipway is not executable; run chmod 755 /usr/local/bin/slipway',
    ]);
    // Everything that starts it is root.
    chmodSync(at('usr/local/bin/slipway'), 0o750);
    expect(await missing()).toEqual([]);
    chmodSync(at('usr/local/bin/slipway'), 0o755);
    put('root/usr/bin/cloud-init', '');
    expect(await missing()).toEqual([expect.stringContaining('slipway install --shim')]);
    image.link('usr/local/bin/kubeadm', '/usr/local/bin/slipway');
    expect(await missing()).toEqual([]);
    put('root/etc/cloud/cloud-init.disabled', '');
    put('root/var/lib/slipway/journal.jsonl', '');
    put('root/etc/machine-id', '0123456789abcdef0123456789abcdef\n');
    expect(await missing()).toEqual([
      expect.stringContaining('machines made from the image would continue from it'),
      expect.stringContaining('/etc/machine-id is set and would be the same'),
    ]);
  });

  it('with a package finds the units of the package', async () => {
    image.putProgram('root/usr/bin/slipway', 'packaged');
    for (const link of [
      'multi-user.target.wants/slipway',
      'multi-user.target.wants/slipway-network',
      'sysinit.target.wants/slipway-report',
    ])
      image.link(`usr/lib/systemd/system/${link}.service`, '../x.service');
    image.link('usr/lib/systemd/system/multi-user.target.wants/slipway-checkin.path', '../x.path');
    expect(await missing()).toEqual([]);
    image.link('etc/systemd/system/slipway-report.service', '/dev/null');
    expect(await missing()).toEqual([
      'slipway-report.service is masked; run systemctl unmask slipway-report.service',
    ]);
    const again = install(host, { ...all, version: '1.2.0', self });
    await expect(again).rejects.toThrow('slipway-report.service is masked');
  });

  it('with a system extension finds what its target starts, which needs no links', async () => {
    image.mergeSlipway();
    expect(await missing()).toEqual([]);
  });

  it('that a config of ignition/ has set up lacks nothing, its masked slipway.service neither', async () => {
    image.mergeSlipway();
    image.link('opt/slipway/bin/kubeadm', '/usr/bin/slipway');
    image.link('etc/systemd/system/slipway.service', '/dev/null');
    // Nobody's PATH has the link.
    expect(await missing()).toEqual(['slipway.service is masked; run systemctl unmask slipway.service']);
    put(
      'root/etc/systemd/system/kubeadm.service.d/10-slipway.conf',
      '[Service]\nEnvironment=PATH=/opt/slipway/bin:/usr/bin\n',
    );
    expect(await missing()).toEqual([]);
    rmSync(at('etc/systemd/system/slipway.service'));
    expect(await missing()).toEqual([expect.stringContaining('systemctl mask slipway.service')]);
  });

  it('that is not of Flatcar has its program in /opt/bin where download.ign puts it', async () => {
    self = image.putProgram('root/opt/bin/slipway', 'downloaded');
    image.link('opt/slipway/bin/kubeadm', '/opt/bin/slipway');
    expect(await missing()).toEqual([
      expect.stringContaining('progress is not reported'),
      expect.stringContaining('machines do not check in'),
    ]);
    // cloud-init's PATH has no /opt/bin.
    put('root/usr/bin/cloud-init', '');
    expect(await missing()).toEqual([
      expect.stringContaining('slipway install --shim'),
      expect.stringContaining('progress is not reported; run slipway install --report'),
      expect.stringContaining('machines do not check in'),
    ]);
    await install(host, { shim: true, units: [], version: '1.2.0', self });
    expect(realpathSync(at('usr/local/bin/kubeadm'))).toBe(self);
    expect(await missing()).toEqual([
      expect.stringContaining('progress is not reported'),
      expect.stringContaining('machines do not check in'),
    ]);
  });

  it('has a caller of kubeadm with cloud-init, with Ignition and on Flatcar', async () => {
    expect(await hasCaller(host, self)).toBe(false);
    put('root/usr/bin/cloud-init', '');
    expect(await hasCaller(host, self)).toBe(true);
    put('root/etc/cloud/cloud-init.disabled', '');
    expect(await hasCaller(host, self)).toBe(false);
    put('root/usr/lib/dracut/modules.d/30ignition/module-setup.sh', '');
    expect(await hasCaller(host, self)).toBe(true);
  });

  it('says what is right in words of its own', async () => {
    const before = await checkImage(host, self);
    await install(host, { ...all, version: '1.2.0', self });
    const after = (await checkImage(host, self)).filter(({ ok }) => ok).map(({ text }) => text);
    expect(after).toContain('/etc/machine-id is empty');
    expect(after).toContain('slipway-report.service is enabled');
    expect(before.filter(({ ok }) => !ok).map(({ text }) => text)).not.toContain(
      'slipway-report.service is enabled',
    );
  });

  it('may have a link to its program in /opt/bin, and odd files beside a drop-in', async () => {
    self = image.putProgram('root/usr/local/bin/slipway', 'program');
    image.link('opt/bin/slipway', '/usr/local/bin/slipway');
    image.link('opt/slipway/bin/kubeadm', '/usr/local/bin/slipway');
    put('root/etc/systemd/system/kubeadm.service.d/old/10.conf', '');
    put('root/etc/systemd/system/kubeadm.service.d/10.conf', 'x'.repeat(70_000));
    expect(await missing()).toContainEqual(expect.stringContaining('slipway install --service'));
    await install(host, { shim: true, units: [], version: '1.2.0', self });
    expect(realpathSync(at('usr/local/bin/kubeadm'))).toBe(self);
    // An install was killed half-way.
    image.link('usr/local/bin/.kubeadm.slipway-new', 'slipway');
    expect(await uninstall(host, self, false)).toHaveLength(3);
    expect(image.left().join()).not.toContain('usr/local/bin');
  });
});
