import { existsSync, readdirSync, readFileSync, readlinkSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheDir } from '../cache/cache.ts';
import type { Role } from '../images/images.ts';

/** What machines take of a host: memory and disk in MB, the others by number. */
export interface Amounts {
  inotify: number;
  watches: number;
  memory: number;
  disk: number;
  processes: number;
}

/** Measured on machines that run what their role has, and rounded up. */
export const NEEDS: Readonly<Record<Role, Amounts>> = {
  worker: { inotify: 16, watches: 2048, memory: 300, disk: 400, processes: 300 },
  'control-plane': { inotify: 24, watches: 4096, memory: 900, disk: 800, processes: 500 },
};

export const INOTIFY_INSTANCES = '/proc/sys/fs/inotify/max_user_instances';
export const INOTIFY_WATCHES = '/proc/sys/fs/inotify/max_user_watches';

/** What this host has left. */
export function freeAmounts(): Amounts {
  let dir = cacheDir();
  while (!existsSync(dir)) dir = dirname(dir);
  const cache = statfsSync(dir);
  return {
    inotify: number(INOTIFY_INSTANCES) - usedInotifyInstances(),
    // Counting them would mean to read every file of /proc/*/fdinfo; half of them free is the rule of thumb.
    watches: Math.floor(number(INOTIFY_WATCHES) / 2),
    memory: Math.floor(Math.min(availableMemory(), memoryOfGroup()) / 1e6),
    disk: Math.floor((cache.bavail * cache.bsize) / 1e6),
    processes: Math.min(
      number('/proc/sys/kernel/pid_max'),
      number('/proc/sys/kernel/threads-max'),
      processesOfGroup(),
    ),
  };
}

const WORDS: Readonly<Record<keyof Amounts, (free: number, needed: number) => string>> = {
  inotify: (free, needed) =>
    `${free} inotify instances are free and ${needed} needed: sysctl -w fs.inotify.max_user_instances=1024`,
  watches: (free, needed) =>
    `some ${free} inotify watches are free and ${needed} needed: sysctl -w fs.inotify.max_user_watches=65536`,
  memory: (free, needed) => `${free} MB of memory are free and ${needed} needed`,
  disk: (free, needed) =>
    `${cacheDir()} has ${free} MB of room and ${needed} are needed: SLIPWAY_LAB_CACHE moves it to another disk`,
  processes: (free, needed) => `${free} processes may be started and ${needed} are needed`,
};

/** One sentence for each thing of which there is too little; empty when there is enough of all. */
export function shortages(needed: Amounts, free: Amounts): string[] {
  return (Object.keys(WORDS) as (keyof Amounts)[])
    .filter((name) => free[name] < needed[name])
    .map((name) => WORDS[name](free[name], needed[name]));
}

/** What several machines take together. */
export function sum(amounts: readonly Amounts[]): Amounts {
  const total: Amounts = { inotify: 0, watches: 0, memory: 0, disk: 0, processes: 0 };
  for (const one of amounts)
    for (const name of Object.keys(total) as (keyof Amounts)[]) total[name] += one[name];
  return total;
}

/**
 * How many this user holds: the kernel counts for each user, and machines of the lab are root's, as all in them.
 * @param among count those of these processes alone
 */
export function usedInotifyInstances(among?: ReadonlySet<number>): number {
  const mine = process.getuid?.() ?? 0;
  let used = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    if (among && !among.has(Number(pid))) continue;
    try {
      if (statSync(`/proc/${pid}`).uid !== mine) continue;
      for (const fd of readdirSync(`/proc/${pid}/fd`)) {
        if (linkOf(`/proc/${pid}/fd/${fd}`) === 'anon_inode:inotify') used += 1;
      }
    } catch {
      // It has ended meanwhile, or belongs to somebody else.
    }
  }
  return used;
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // It was closed meanwhile.
    return undefined;
  }
}

function availableMemory(): number {
  return Number(/^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1] ?? 0) * 1024;
}

/** What the control group of this process leaves: a container has less than its host. */
function memoryOfGroup(): number {
  return Math.min(
    left('', 'memory.max', 'memory.current'),
    left('memory', 'memory.limit_in_bytes', 'memory.usage_in_bytes'),
  );
}

function processesOfGroup(): number {
  return Math.min(left('', 'pids.max', 'pids.current'), left('pids', 'pids.max', 'pids.current'));
}

/** Limit less use in the group of this process; Infinity where there is no such limit. */
function left(controller: string, limit: string, use: string): number {
  const group = readFileSync('/proc/self/cgroup', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([, names]) => (names ?? '').split(',').includes(controller));
  if (group === undefined) return Number.POSITIVE_INFINITY;
  const dir = join('/sys/fs/cgroup', controller, group.slice(2).join(':'));
  const [most, now] = [number(join(dir, limit)), number(join(dir, use))];
  return most - (Number.isFinite(now) ? now : 0);
}

/** Infinity for "max" and for a file that is not there. */
function number(path: string): number {
  try {
    const text = readFileSync(path, 'utf8').trim();
    return /^\d+$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
