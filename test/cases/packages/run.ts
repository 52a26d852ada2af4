import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root as checkout } from '../../../build/project.ts';
import { rootWith, withScratchRoot } from '../../lab/lab.ts';

export const about =
  'the .deb, the .rpm, the system extensions and the image, by real dpkg, rpm, systemd-sysext and buildah';

const TOOLS = ['rpm', 'squashfs-tools', 'erofs-utils', 'buildah'];
const NODE = '/checkout/node_modules/.bin/node';

/** What is made, how large it may be, and the script that uses it. */
const IMAGES = [
  { format: 'deb', most: 29e6, script: 'deb.sh' },
  { format: 'rpm', most: 35e6, script: 'rpm.sh' },
  { format: 'sysext-erofs', most: 62e6, script: 'sysext.sh' },
  { format: 'sysext', most: 38e6, script: 'sysext.sh' },
  { format: 'oci', most: 44e6, script: 'oci.sh' },
] as const;

export async function run(say: (line: string) => void): Promise<void> {
  const lower = await rootWith('packaging', TOOLS, say);
  for (const { format, most, script } of IMAGES) {
    const folder = mkdtempSync(join(tmpdir(), 'slipway-packages-'));
    try {
      mkdirSync(join(folder, 'images'));
      await withScratchRoot(lower, async (root) => {
        const binds = [
          { from: checkout, to: '/checkout', readOnly: true },
          { from: import.meta.dirname, to: '/case', readOnly: true },
          { from: join(folder, 'images'), to: '/images' },
        ];
        const options = { binds, env: { SOURCE_DATE_EPOCH: '1700000000' }, timeoutMs: 1_200_000 };
        const made = await root.run(`${NODE} /checkout/build/images.ts ${format} --out /images`, options);
        assert.equal(made.code, 0, made.stderr);
        const [name = ''] = readdirSync(join(folder, 'images'));
        const { size } = statSync(join(folder, 'images', name));
        assert.ok(size <= most, `${name}: ${size} bytes are more than ${most}`);
        const words = readFileSync(join(import.meta.dirname, script), 'utf8');
        const used = await root.run(`IMAGE=/images/${name}\n${words}`, options);
        assert.equal(used.code, 0, `${script} ${name}: ${used.stdout}\n${used.stderr}`);
        say(`${name} (${(size / 1e6).toFixed(1)} MB): ${used.stdout.trim().split('\n').at(-1)}`);
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}
