import assert from 'node:assert/strict';
import type { TestRelease } from '../../support/release/test-release.ts';
import { boot, SERVE, shipped } from './boot.ts';

const LOOK = `
readlink /usr/local/bin/kubeadm
readlink /etc/systemd/system/sysinit.target.wants/slipway-report.service
cmp /usr/local/bin/slipway /srv/release/slipway-linux-x64 && echo the same
ls -d /var/lib/slipway-fetch.* 2>/dev/null || echo tidy
cat /var/tmp/told`;
const INSTALLED = 'slipway\n../slipway-report.service\nthe same\ntidy\n';

/** What the machine's own commands find is Slipway, whether vendor data or user data has fetched it. */
export async function expectFetched(release: TestRelease, say: (line: string) => void): Promise<void> {
  const tell = 'command -v kubeadm >/var/tmp/told';
  const { folder, sha256 } = release;
  const byVendor = await boot({
    userData: `#cloud-config\nbootcmd:\n- ${tell}\n`,
    vendorData: shipped('vendor-data.sh', release, { sha256 }),
    // It comes late.
    serve: `(sleep 2; exec ${SERVE.replace(/&$/, '')}) &`,
    folder,
    after: `${LOOK}
# The next boot asks nobody.
kill $!
rm /var/log/cloud-init-output.log
cloud-init init >/dev/null 2>&1; cmp /usr/local/bin/slipway /srv/release/slipway-linux-x64
cat /var/log/cloud-init-output.log`,
  });
  assert.equal(byVendor.code, 0, byVendor.stdout + byVendor.stderr);
  assert.ok(byVendor.stdout.startsWith(`${INSTALLED}/usr/local/bin/kubeadm\n`), byVendor.stdout);
  say('vendor data fetch it before the first command of the user data, from a server that comes late');

  const byUser = await boot({
    userData: `${shipped('download.yaml', release)}- ${tell}\n`,
    serve: SERVE,
    folder,
    after: LOOK,
  });
  assert.equal(byUser.code, 0, byUser.stdout + byUser.stderr);
  assert.equal(byUser.stdout, `${INSTALLED}/usr/local/bin/kubeadm\n`);
  say('user data fetch it before their own next command');
}
