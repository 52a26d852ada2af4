import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Facts } from '../../../src/agent/facts/reading/facts.ts';
import { rootWith, type ScratchRoot, withScratchRoot } from '../../lab/lab.ts';
import { DIST } from '../../support/machines.ts';

/** What makes and boots a virtual machine. */
export const PACKAGES = [
  ...['qemu-system-x86', 'ovmf', 'swtpm', 'linux-image-cloud-amd64', 'cpio', 'busybox-static'],
  ...['dmidecode', 'pciutils', 'pci.ids', 'mokutil'],
];

/** What one machine has answered. */
export interface Answers {
  facts: Facts;
  /** What a program said, by the name that `guest-init` gives it; undefined where it failed. */
  told(name: string): string | undefined;
}

/** Gives a function that boots the machine of a script of this case. All is in namespaces, and gone at the end. */
export async function withVirtualMachines(
  say: (line: string) => void,
  use: (boot: (script: string) => Promise<Answers>) => Promise<void>,
): Promise<void> {
  await withScratchRoot(await rootWith('virtual-machine', PACKAGES, say), async (root) => {
    await inside(root, 'image.sh');
    await use(async (script) => {
      await inside(root, script);
      const folder = join(root.changes, 'work', script.replace('.sh', ''), 'answers');
      const told = (name: string) =>
        readFileSync(join(folder, `${name}.status`), 'utf8').trim() === '0'
          ? readFileSync(join(folder, name), 'utf8')
          : undefined;
      assert.ok(existsSync(join(folder, 'facts.json')), 'the machine has answered nothing');
      assert.equal(readFileSync(join(folder, 'facts.json.stderr'), 'utf8'), '');
      return { facts: JSON.parse(told('facts.json') ?? '{}'), told };
    });
  });
}

async function inside(root: ScratchRoot, script: string): Promise<void> {
  const binds = [
    { from: dirname(DIST), to: '/dist', readOnly: true },
    { from: import.meta.dirname, to: '/case', readOnly: true },
  ];
  const done = await root.run(`. /case/${script}`, { binds, timeoutMs: 1_200_000 });
  assert.equal(done.code, 0, `${script}: ${done.stdout}\n${done.stderr}`);
}
