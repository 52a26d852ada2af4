import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { groupPids, type Hierarchy, hierarchies } from './cgroups.ts';

/**
 * Seconds of CPU time that the group's processes have used, and those of the groups below it, also where they have ended.
 * 0 where there is no such group.
 */
export function cpuSecondsOf(group: string, hierarchy = accounting()): number {
  try {
    if (hierarchy.version === 1) return Number(read(hierarchy, group, 'cpuacct.usage')) / 1e9;
    return Number(/^usage_usec (\d+)$/m.exec(read(hierarchy, group, 'cpu.stat'))?.[1] ?? 0) / 1e6;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}

/** Groups of cases; the number is the PID of the case's own process. */
const PREFIX = 'slipway-case-';

/**
 * Moves this process into a group of its own, so that what it does from now on is counted, and what it starts.
 * @returns ends that, and says how many seconds of CPU time were used
 */
export async function countCpu(): Promise<() => Promise<number>> {
  const hierarchy = accounting();
  const before = ownGroup(hierarchy);
  await removeOthers(hierarchy);
  const group = `${PREFIX}${process.pid}`;
  const dir = join(hierarchy.mountpoint, group);
  await mkdir(dir, { recursive: true });
  await move(process.pid, dir);
  return async () => {
    const seconds = cpuSecondsOf(group, hierarchy);
    for (const pid of await groupPids(group, [hierarchy]))
      await move(pid, join(hierarchy.mountpoint, before));
    await rmdir(dir);
    return seconds;
  };
}

/** A case that was killed leaves its group; the kernel removes none in which something runs. */
async function removeOthers({ mountpoint }: Hierarchy): Promise<void> {
  for (const name of await readdir(mountpoint)) {
    const pid = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : undefined;
    if (pid && !existsSync(`/proc/${pid}`)) await rmdir(join(mountpoint, name)).catch(() => undefined);
  }
}

async function move(pid: number, dir: string): Promise<void> {
  await writeFile(join(dir, 'cgroup.procs'), String(pid)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ESRCH') throw error;
  });
}

/** The hierarchy that counts CPU time: of version 1 the one with that name, and every one of version 2. */
function accounting(all: readonly Hierarchy[] = hierarchies()): Hierarchy {
  const counting =
    all.find(({ options }) => options.split(',').includes('cpuacct')) ?? all.find((h) => h.version === 2);
  if (!counting) throw new Error('no control groups are mounted that count CPU time');
  return counting;
}

/** Where this process is in it, from its top. */
function ownGroup({ version }: Hierarchy): string {
  const lines = readFileSync('/proc/self/cgroup', 'utf8').trim().split('\n');
  const mine = lines
    .map((line) => line.split(':'))
    .find(([id, names = '']) => (version === 2 ? id === '0' : names.split(',').includes('cpuacct')));
  return mine?.slice(2).join(':') ?? '/';
}

function read({ mountpoint }: Hierarchy, group: string, file: string): string {
  return readFileSync(join(mountpoint, group, file), 'utf8');
}
