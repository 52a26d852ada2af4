import { mkdirSync } from 'node:fs';
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withScratchDir } from '../../lab/root/in-root.ts';
import { BenchError, measure, type Usage } from '../measure/measure.ts';
import type { ApplyDocument } from './apply-document.ts';

/**
 * Makes the same world for every contender, then becomes the measured command: own mount, process, host name and
 * network namespaces; at $BENCH_ROOT a fresh overlay of a Debian root with its own /proc, /sys, /dev, /tmp; /run is
 * part of the overlay, so that what was written there can be checked. The host's own /run is out of reach.
 */
const ENTER = `
mount -t proc proc /proc
mount -t tmpfs tmpfs /run
mount -t overlay overlay -o "$BENCH_OVERLAY" "$BENCH_ROOT"
mount -t proc proc "$BENCH_ROOT/proc"
mount -t sysfs -o ro sysfs "$BENCH_ROOT/sys"
mount -t tmpfs tmpfs "$BENCH_ROOT/tmp"
mount --rbind /dev "$BENCH_ROOT/dev"
hostname lab-root
ip link set lo up
eval "$BENCH_PREPARE"
exec "$@"
`;

const NAMESPACES = [
  '--mount',
  '--pid',
  '--uts',
  '--ipc',
  '--net',
  '--fork',
  '--kill-child',
  '--propagation',
  'private',
];

interface Job {
  /** Lower directories of the root, uppermost first. */
  readonly lower: readonly string[];
  /** Files that lie at $BENCH_INPUT when the job starts are the caller's own. */
  readonly input: string;
  /** Shell commands that run before the measurement, with $BENCH_ROOT and $BENCH_INPUT. */
  readonly prepare?: string;
  /** The measured command, given the root's path. */
  readonly command: (root: string) => readonly string[];
}

/**
 * Runs one contender on a root of its own and checks that the document was applied.
 *
 * @throws BenchError when it failed or left something out
 */
export async function applyOnce(job: Job, document: ApplyDocument): Promise<Usage> {
  return withScratchDir(async (scratch) => {
    const [root, changes, work] = ['root', 'changes', 'work'].map((name) => join(scratch, name)) as [
      string,
      string,
      string,
    ];
    for (const directory of [root, changes, work]) mkdirSync(directory, { mode: 0o755 });
    const usage = measure(job.command(root), {
      within: ['unshare', ...NAMESPACES, 'bash', '--norc', '-euc', ENTER, 'bench-root'],
      env: {
        PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
        LANG: 'C.UTF-8',
        HOME: '/root',
        BENCH_ROOT: root,
        BENCH_INPUT: job.input,
        BENCH_OVERLAY: `lowerdir=${job.lower.join(':')},upperdir=${changes},workdir=${work}`,
        BENCH_PREPARE: job.prepare ?? '',
      },
    });
    await checkApplied(changes, document);
    return usage;
  });
}

async function checkApplied(changes: string, document: ApplyDocument): Promise<void> {
  for (const { path, mode, content } of document.files) {
    const made = await readFile(join(changes, path), 'utf8').catch(() => undefined);
    if (made !== content)
      throw new BenchError(`${path} was ${made === undefined ? 'not written' : 'written otherwise'}`);
    const bits = (await lstat(join(changes, path))).mode & 0o7777;
    if (bits !== Number.parseInt(mode, 8)) throw new BenchError(`${path} has mode ${bits.toString(8)}`);
  }
  for (const path of document.traces) {
    await lstat(join(changes, path)).catch(() => {
      throw new BenchError(`a command did not run: ${path} is missing`);
    });
  }
}
