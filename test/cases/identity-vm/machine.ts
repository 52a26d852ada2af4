import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { rootWith, type ScratchRoot, withScratchRoot } from '../../lab/lab.ts';
import { DIST } from '../../support/machines.ts';
import { PACKAGES } from '../facts-vm/virtual-machine.ts';

/** A virtual machine with a TPM, and a way to the controller. */
export interface Machine {
  readonly endorsementKey: string;
  /** @param seed its files, by path @param append to the kernel's command line @returns what it left, by name */
  boot(
    seed: Readonly<Record<string, string>>,
    append?: string,
  ): Promise<(name: string) => string | undefined>;
}

/** Where the machine sees the controller. */
export const CONTROLLER = '10.0.2.100';

/** @param port of the controller on this host's loopback */
export async function withMachine(
  say: (line: string) => void,
  port: number,
  use: (machine: Machine) => Promise<void>,
): Promise<void> {
  const door = await mkdtemp(join(tmpdir(), 'slipway-door-'));
  // The machine's root has no network of its own: a socket leads out of it.
  const server = createServer((inside) => {
    const outside = connect(port, '127.0.0.1');
    inside.pipe(outside).pipe(inside);
    inside.on('error', () => outside.destroy());
    outside.on('error', () => inside.destroy());
  });
  await new Promise<void>((resolve) => server.listen(join(door, 'controller'), resolve));
  try {
    await withScratchRoot(await rootWith('virtual-machine', PACKAGES, say), async (root) => {
      const inside = (script: string, env: Record<string, string> = {}) => play(root, door, script, env);
      await inside('/case/image.sh', { INIT: '/own/guest-init' });
      await inside('/own/key.sh');
      const { endorsementKey } = JSON.parse(readFileSync(join(root.changes, 'work/identity.json'), 'utf8'));
      await use({
        endorsementKey,
        async boot(seed, append = '') {
          await writeSeed(join(root.changes, 'work/seed'), seed);
          await rm(join(root.changes, 'work/vm/answers'), { recursive: true, force: true });
          await inside('/own/vm.sh', { APPEND: append });
          return (name) => {
            const path = join(root.changes, 'work/vm/answers', name);
            return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
          };
        },
      });
    });
  } finally {
    server.close();
    await rm(door, { recursive: true, force: true });
  }
}

async function writeSeed(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content, { mode: 0o600 });
  }
}

async function play(
  root: ScratchRoot,
  door: string,
  script: string,
  env: Record<string, string>,
): Promise<void> {
  const binds = [
    { from: dirname(DIST), to: '/dist', readOnly: true },
    { from: join(import.meta.dirname, '../facts-vm'), to: '/case', readOnly: true },
    { from: import.meta.dirname, to: '/own', readOnly: true },
    { from: door, to: '/door' },
  ];
  const done = await root.run(`. ${script}`, { binds, env, timeoutMs: 1_200_000 });
  assert.equal(done.code, 0, `${script}: ${done.stdout}\n${done.stderr}`);
}
