import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runOk } from '../lab/process/command.ts';
import { alive, self } from '../lab/process/process-id.ts';

const PREFIX = 'slipway-disk-';

/** Disks of this kernel that are files: real block devices, thrown away afterwards. */
export async function withLoopDisks<T>(
  megabytes: readonly number[],
  use: (disks: string[]) => Promise<T>,
): Promise<T> {
  await sweep();
  const me = self();
  const dir = mkdtempSync(join(realpathSync(tmpdir()), `${PREFIX}${me.pid}-${me.start}-`));
  const disks: string[] = [];
  try {
    for (const [index, size] of megabytes.entries()) {
      const file = join(dir, `${index}.img`);
      writeFileSync(file, '');
      truncateSync(file, size * 1024 * 1024);
      // --partscan also lets go of the partitions when the device is detached.
      const out = await runOk('losetup', ['--find', '--partscan', '--show', file]);
      disks.push(out.trim());
    }
    return await use(disks);
  } finally {
    for (const disk of disks) await runOk('losetup', ['--detach', disk]);
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Detaches what a killed test has left. */
async function sweep(): Promise<void> {
  for (const name of readdirSync('/sys/block').filter((block) => block.startsWith('loop'))) {
    const file = backingFile(name);
    const [, pid, start] = new RegExp(`/${PREFIX}(\\d+)-(\\d+)-`).exec(file) ?? [];
    if (pid === undefined || start === undefined || alive({ pid: Number(pid), start: Number(start) }))
      continue;
    await runOk('losetup', ['--detach', `/dev/${name}`]);
    rmSync(join(file, '..'), { recursive: true, force: true });
  }
}

function backingFile(name: string): string {
  try {
    return readFileSync(`/sys/block/${name}/loop/backing_file`, 'utf8');
  } catch (error) {
    // A loop device without a file has no such entry.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}
