import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execaSync } from 'execa';
import { root as checkout } from '../../../build/project.ts';
import {
  machineLayers,
  rootWith,
  type ScratchRoot,
  unpackedPackage,
  withScratchRoot,
} from '../../lab/lab.ts';

/** What a build may leave in the image. */
const LEFT = `etc/systemd/system/multi-user.target.wants/slipway-checkin.path
etc/systemd/system/multi-user.target.wants/slipway-network.service
etc/systemd/system/multi-user.target.wants/slipway.service
etc/systemd/system/slipway-checkin.path
etc/systemd/system/slipway-checkin.service
etc/systemd/system/slipway-checkin.timer
etc/systemd/system/slipway-network.service
etc/systemd/system/slipway-report.service
etc/systemd/system/slipway.service
etc/systemd/system/sysinit.target.wants/slipway-report.service
usr/local/bin/kubeadm
usr/local/bin/slipway`;

/** What lies over the lab's image so that one can log in, uppermost first. */
export async function sshLayer(say: (line: string) => void): Promise<string[]> {
  return (await rootWith('ssh-server', ['openssh-server'], say)).slice(0, 1);
}

/** Builds the lab's own node image with the shipped HCL and role; what they changed is then in `image.changes`. */
export async function buildImage(image: ScratchRoot, say: (line: string) => void): Promise<void> {
  const lower = [...(await sshLayer(say)), ...(await machineLayers(true, say))];
  const layers = lower.map((from, index) => ({ from, to: `/layers/${index}`, readOnly: true }));
  const tools = await rootWith('packer', ['packer', 'ansible-core', 'openssh-client'], say);
  const binds = [
    ...layers,
    { from: dirname(image.changes), to: '/work' },
    { from: checkout, to: '/src/slipway', readOnly: true },
    { from: await unpackedPackage('ansible-core', say, 'trixie'), to: '/ansible', readOnly: true },
    { from: await unpackedPackage('goss', say, 'trixie'), to: '/goss', readOnly: true },
  ];
  await withScratchRoot(tools, async (root) => {
    const { code, stdout, stderr } = await root.run(
      readFileSync(join(import.meta.dirname, 'build.sh'), 'utf8'),
      {
        binds,
        env: { LOWER: layers.map(({ to }) => to).join(':') },
        timeoutMs: 1_200_000,
      },
    );
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /^first: ansible 2\.19.*\nok=\d+ +changed=2 +unreachable=0 +failed=0$/m, stdout);
    assert.match(stdout, /^second: ansible 2\.14.*\nok=\d+ +changed=0 +unreachable=0 +failed=0$/m, stdout);
    assert.match(stdout, /^as image-builder:\nok=\d+ +changed=0 +unreachable=0 +failed=0$/m, stdout);
    assert.match(stdout, /Count: \d+, Failed: 0/, stdout);
  });
  const { stdout } = execaSync('find', [image.changes, '-not', '-type', 'd', '-printf', '%P\\n']);
  const left = stdout.split('\n').filter((path) => !/^var\/log\/(wtmp|btmp|lastlog)$/.test(path));
  assert.equal(left.sort().join('\n'), LEFT);
  say(
    'built by Packer 1.6.6 and Ansible 2.19; again, by 2.14 and as image-builder does, it changes nothing; goss passes',
  );
}
