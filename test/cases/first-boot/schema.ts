import assert from 'node:assert/strict';
import { join } from 'node:path';
import { root as checkout } from '../../../build/project.ts';
import { cloudInitRoot, unpackedPackage, withScratchRoot } from '../../lab/lab.ts';

/** cloud-init 26.2, by Debian's own package of it, finds nothing to say against what is shipped. */
export async function expectValid(say: (line: string) => void): Promise<void> {
  const newest = await unpackedPackage('cloud-init', say, 'forky');
  await withScratchRoot(await cloudInitRoot(say), async (root) => {
    const { code, stdout, stderr } = await root.run(
      `export PYTHONPATH=/newest/usr/lib/python3/dist-packages
cloud_init='python3 -m cloudinit.cmd.main'
$cloud_init --version
for file in download baked; do $cloud_init schema --config-file /shipped/$file.yaml; done`,
      {
        binds: [
          { from: newest, to: '/newest', readOnly: true },
          { from: join(checkout, 'cloud-init'), to: '/shipped', readOnly: true },
        ],
      },
    );
    assert.equal(code, 0, stdout + stderr);
    say(`valid: ${stdout.trim().replaceAll('\n', ', ')}`);
  });
}
