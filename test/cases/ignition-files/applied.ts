import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { runIgnition, withScratchRoot } from '../../lab/lab.ts';
import { shipped } from './shipped.ts';

/** Real Ignition lays the files, and ends where the program has another digest. */
export async function expectApplied(folder: string, url: string, say: (line: string) => void): Promise<void> {
  const program = join(folder, 'slipway-linux-x64');
  const inRoot = (use: (root: string) => Promise<void>): Promise<void> =>
    withScratchRoot([], ({ changes }) => use(changes));
  const config = shipped('download.ign', url, program);
  await inRoot(async (root) => {
    const { code, stdout, stderr } = await runIgnition(config, root);
    assert.equal(code, 0, stdout + stderr);
    assert.ok(readFileSync(join(root, 'opt/bin/slipway')).equals(readFileSync(program)));
    assert.equal(statSync(join(root, 'opt/bin/slipway')).mode & 0o777, 0o755);
    assert.equal(readlinkSync(join(root, 'opt/slipway/bin/kubeadm')), '/opt/bin/slipway');
    assert.equal(
      readFileSync(join(root, 'etc/slipway/config.yaml'), 'utf8'),
      'report: {console: true, journal: true}\n',
    );
    const preset = readFileSync(join(root, 'etc/systemd/system-preset/20-ignition.preset'), 'utf8');
    assert.match(preset, /^enable slipway-report\.service$/m);
  });
  await inRoot(async (root) => {
    const { code } = await runIgnition(shipped('baked.ign'), root);
    assert.equal(code, 0);
    assert.match(
      readFileSync(join(root, 'etc/systemd/system/kubeadm.service.d/10-slipway.conf'), 'utf8'),
      /^Environment=PATH=\/opt\/slipway\/bin:/m,
    );
  });
  appendFileSync(program, 'x');
  await inRoot(async (root) => {
    const { code, stdout, stderr } = await runIgnition(config, root);
    assert.notEqual(code, 0);
    assert.match(stdout + stderr, /hash verification failed/);
    assert.ok(!existsSync(join(root, 'opt/bin/slipway')));
  });
  say('Ignition fetches the program and lays it out; one with another digest it refuses');
}
