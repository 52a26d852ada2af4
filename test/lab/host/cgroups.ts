import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { LabError } from '../process/command.ts';

/** One mounted cgroup hierarchy of this host. `options` are what `mount -o` needs to show it again. */
export interface Hierarchy {
  mountpoint: string;
  /** Name of the mount below /sys/fs/cgroup ("cpu,cpuacct", "systemd", "unified"; "" for a pure v2 host). */
  name: string;
  version: 1 | 2;
  options: string;
}

const V1_CONTROLLERS = new Set(
  'cpu cpuacct cpuset memory devices freezer net_cls blkio perf_event net_prio hugetlb pids rdma misc'.split(
    ' ',
  ),
);

/** Find the hierarchies in the text of /proc/self/mountinfo (v1, hybrid, or v2 alone). */
export function parseHierarchies(mountinfo: string): Hierarchy[] {
  const found = new Map<string, Hierarchy>();
  for (const line of mountinfo.split('\n')) {
    const [before = '', after] = line.split(' - ');
    if (after === undefined) continue;
    const mountpoint = before.split(' ')[4] ?? '';
    const [type = '', , superOptions = ''] = after.split(' ');
    if (type === 'cgroup2') {
      const alone = mountpoint === '/sys/fs/cgroup';
      found.set(mountpoint, { mountpoint, name: alone ? '' : basename(mountpoint), version: 2, options: '' });
    } else if (type === 'cgroup') {
      const kept = superOptions
        .split(',')
        .filter((option) => V1_CONTROLLERS.has(option) || option.startsWith('name='));
      const options = kept.some((option) => option.startsWith('name=')) ? ['none', ...kept] : kept;
      found.set(mountpoint, {
        mountpoint,
        name: basename(mountpoint),
        version: 1,
        options: options.join(','),
      });
    }
  }
  return [...found.values()];
}

/** The hierarchies of this host. */
export function hierarchies(): Hierarchy[] {
  return parseHierarchies(readFileSync('/proc/self/mountinfo', 'utf8'));
}

/** Make the group `path` (relative) in every hierarchy, ready to take processes. */
export async function makeGroup(path: string, all: readonly Hierarchy[] = hierarchies()): Promise<void> {
  for (const hierarchy of all) {
    const steps = path.split('/');
    for (let depth = 1; depth <= steps.length; depth += 1) {
      const parent = join(hierarchy.mountpoint, ...steps.slice(0, depth - 1));
      const group = join(hierarchy.mountpoint, ...steps.slice(0, depth));
      if (hierarchy.version === 2) await passControllersDown(parent);
      await mkdir(group, { recursive: true });
      if (hierarchy.options.split(',').includes('cpuset')) await copyCpuset(parent, group);
    }
  }
}

/** v1: a new cpuset group has no CPU and no memory node, and takes no process until it has. */
async function copyCpuset(parent: string, group: string): Promise<void> {
  for (const file of ['cpuset.cpus', 'cpuset.mems']) {
    if ((await readFile(join(group, file), 'utf8')).trim() !== '') continue;
    await writeFile(join(group, file), await readFile(join(parent, file), 'utf8'));
  }
}

/** v2: a machine can only use the controllers that each group above it hands down. */
async function passControllersDown(parent: string): Promise<void> {
  const list = async (file: string) =>
    (await readFile(join(parent, file), 'utf8')).split(/\s+/).filter((c) => c !== '');
  const on = await list('cgroup.subtree_control');
  for (const controller of await list('cgroup.controllers')) {
    if (on.includes(controller) || !['cpu', 'cpuset', 'memory', 'pids', 'io'].includes(controller)) continue;
    await writeFile(join(parent, 'cgroup.subtree_control'), `+${controller}`);
  }
}

/** Names of the groups at the top of any hierarchy that begin with `prefix`. */
export async function topGroups(prefix: string): Promise<string[]> {
  const names = new Set<string>();
  for (const { mountpoint } of hierarchies()) {
    for (const entry of await readdir(mountpoint, { withFileTypes: true })) {
      if (entry.isDirectory() && entry.name.startsWith(prefix)) names.add(entry.name);
    }
  }
  return [...names];
}

/** Numbers of all processes in the group and below it, in any hierarchy. */
export async function groupPids(path: string, all: readonly Hierarchy[] = hierarchies()): Promise<number[]> {
  const pids = new Set<number>();
  for (const hierarchy of all) {
    for (const dir of await groupDirs(join(hierarchy.mountpoint, path))) {
      const text = await readFile(join(dir, 'cgroup.procs'), 'utf8').catch(goneAs(''));
      for (const pid of text.split('\n')) if (pid !== '') pids.add(Number(pid));
    }
  }
  return [...pids];
}

/** The directories of a group, deepest first; empty when there is no such group. */
async function groupDirs(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(goneAs(undefined));
  if (entries === undefined) return [];
  const below: string[] = [];
  for (const entry of entries)
    if (entry.isDirectory()) below.push(...(await groupDirs(join(dir, entry.name))));
  return [...below, dir];
}

/** Kill everything in the group and remove it from every hierarchy. Waits until both are done. */
export async function destroyGroup(path: string, timeoutMs = 120_000): Promise<void> {
  const all = hierarchies();
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const pids = await groupPids(path, all);
    for (const pid of pids) killQuietly(pid);
    if (pids.length === 0 && (await removeGroup(path, all))) return;
    if (Date.now() > deadline) {
      throw new LabError(
        `control group ${path} does not go away; still in it: ${pids.join(', ') || 'no process'}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

async function removeGroup(path: string, all: readonly Hierarchy[]): Promise<boolean> {
  let clean = true;
  for (const hierarchy of all) {
    for (const dir of await groupDirs(join(hierarchy.mountpoint, path))) {
      // EBUSY: a process that just died is not yet taken out; the caller tries again.
      await rmdir(dir).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') clean = false;
      });
    }
  }
  return clean;
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function goneAs<T>(value: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === 'ENOENT' || error.code === 'ENODEV') return value;
    throw error;
  };
}
