import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeImage } from '../../../build/images/images.ts';
import { root as checkout } from '../../../build/project.ts';
import { megabytes } from '../../../build/sizes.ts';
import { rootWith, type ScratchRoot, withScratchRoot } from '../../lab/lab.ts';
import { formatSources, hostAptSources } from '../../lab/root/apt.ts';

export const about =
  'the recipe of a disk image makes one that boots by UEFI and bootstraps from a NoCloud seed';

/** Boots without KVM. */
export const onlyByName = true;

const TOOLS = ['mmdebstrap', 'fdisk', 'mtools', 'qemu-utils', 'e2fsprogs', 'qemu-system-x86', 'ovmf'];

const TOLD = `name: node-1
service: active
containerd: active
cgroups: 1
forwarding: 1 1
address: 10.0.2.15/24
root: root ext4 6G
failed: none
TOLD
`;

export async function run(say: (line: string) => void): Promise<void> {
  await withScratchRoot(await rootWith('disk-image', TOOLS, say), async (root) => {
    const work = join(root.changes, 'work');
    mkdirSync(work);
    makeImage({ format: 'deb', platform: 'linux-x64', folder: work });
    writeFileSync(join(work, 'debian.sources'), formatSources(await hostAptSources()));
    await inside(root, 'make.sh', true);
    const size = statSync(join(work, 'node.qcow2')).size;
    say(`made twice by the recipe, raw and qcow2 (${megabytes(size)})`);
    await inside(root, 'look.sh');
    say(
      'both hold the same bytes: two partitions, a clean root, what the firmware reads, and nothing of another machine',
    );

    await inside(root, 'boot.sh');
    expectBooted(readFileSync(join(work, 'console'), 'utf8').replaceAll('\r', ''));
    say('it boots by UEFI, reads its seed, is bootstrapped by slipway.service, and its root has grown');
  });
}

async function inside(root: ScratchRoot, script: string, network = false): Promise<void> {
  const binds = [
    { from: join(checkout, 'images/disk'), to: '/recipe', readOnly: true },
    { from: import.meta.dirname, to: '/case', readOnly: true },
  ];
  const done = await root.run(`sh -eu /case/${script}`, { binds, network, timeoutMs: 1_800_000 });
  const serial = join(root.changes, 'work/console');
  const console = existsSync(serial) ? readFileSync(serial, 'utf8').slice(-4000) : '';
  assert.equal(done.code, 0, `${script}: ${done.stderr.slice(-4000)}\n${console}`);
}

function expectBooted(console: string): void {
  const status = /^BEGIN\n(?:slipway: .*\n)*(\{[\s\S]*?\n\})\nEND$/m.exec(console)?.[1];
  const { outcome } = JSON.parse(status ?? assert.fail(console.slice(-4000)));
  assert.equal(outcome.result, 'succeeded', status);
  assert.equal(outcome.instance, 'i-1', status);
  assert.ok(console.includes(TOLD), console.slice(-4000));
}
