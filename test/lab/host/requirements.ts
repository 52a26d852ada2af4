import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { installPackages } from '../../../build/install-packages.ts';
import { cacheDir } from '../cache/cache.ts';
import { LabError } from '../process/command.ts';
import { freeAmounts, NEEDS, shortages } from './capacity.ts';

export interface Requirements {
  ok: boolean;
  /** One sentence for each thing that is missing: what, and how to get it. */
  missing: string[];
}

const TOOLS: readonly [program: string, debianPackage: string][] = [
  ['unshare', 'util-linux'],
  ['nsenter', 'util-linux'],
  ['setpriv', 'util-linux'],
  ['flock', 'util-linux'],
  ['script', 'bsdutils'],
  ['bash', 'bash'],
  ['ip', 'iproute2'],
  ['tar', 'tar'],
  ['xz', 'xz-utils'],
  ['apt-get', 'apt'],
];

const NAMESPACES = ['mnt', 'pid', 'uts', 'ipc', 'net', 'cgroup'];

/**
 * Can this host run a lab? Where only programs are missing, Debian's packages with them are installed: a minimal Debian has
 * neither ip nor xz. Changes nothing else.
 */
export async function requirements(): Promise<Requirements> {
  if (process.platform !== 'linux') {
    return {
      ok: false,
      missing: [`the lab's machines are made of Linux namespaces, and this is ${process.platform}`],
    };
  }
  const missing: string[] = [];
  if (process.getuid?.() !== 0) missing.push('the lab needs root: run it with sudo');
  else if (!mayMount())
    missing.push('the lab needs CAP_SYS_ADMIN, which this container has not: run it privileged');
  if (process.arch !== 'x64')
    missing.push(`the lab's Kubernetes binaries are for x64, and this machine is ${process.arch}`);
  for (const namespace of NAMESPACES) {
    if (!existsSync(`/proc/self/ns/${namespace}`)) missing.push(`this kernel has no ${namespace} namespaces`);
  }
  if (!/^\S+ \S+ cgroup2? /m.test(readFileSync('/proc/mounts', 'utf8'))) {
    missing.push('no control groups are mounted at /sys/fs/cgroup');
  }
  missing.push(...cacheTrouble(), ...roomTrouble());
  missing.push(...toolTrouble(missing.length === 0));
  return { ok: missing.length === 0, missing };
}

/** @param install false: what is missing is only told, because it would not help */
function toolTrouble(install: boolean): string[] {
  const lacking = () => TOOLS.filter(([program]) => !onPath(program));
  const packages = [...new Set(lacking().map(([, debianPackage]) => debianPackage))];
  const failed = install && packages.length > 0 ? installPackages(...packages) : undefined;
  const why = failed === undefined ? '' : ` (tried already: ${failed})`;
  return lacking().map(
    ([program, debianPackage]) => `the program ${program} is missing: apt-get install ${debianPackage}${why}`,
  );
}

const OVERLAY_MAGIC = 0x794c7630;
const NEEDED_BYTES = 3e9;

/** The cache holds the machines' disks: it needs room, and a file system that an overlay can stand on. */
function cacheTrouble(): string[] {
  const cache = cacheDir();
  let dir = cache;
  while (!existsSync(dir)) dir = dirname(dir);
  const { type, bavail, bsize } = statfsSync(dir);
  const trouble: string[] = [];
  if (type === OVERLAY_MAGIC) {
    trouble.push(
      `${cache} is on an overlay, as in a container: set SLIPWAY_LAB_CACHE to a directory of a real disk`,
    );
  }
  if (!existsSync(join(cache, 'made')) && bavail * bsize < NEEDED_BYTES) {
    trouble.push(
      `${cache} has ${(bavail * bsize) / 1e9} GB of room, and the lab needs 3: set SLIPWAY_LAB_CACHE`,
    );
  }
  return trouble;
}

/** One machine must find room. Too few inotify instances are no trouble yet: they are raised, or waited for. */
function roomTrouble(): string[] {
  const free = freeAmounts();
  return shortages({ ...NEEDS.worker, inotify: 0, watches: 0 }, free);
}

/** @throws LabError that lists what is missing */
export async function needRequirements(): Promise<void> {
  const { ok, missing } = await requirements();
  if (!ok) throw new LabError(`the lab cannot run here:\n${missing.map((line) => `  - ${line}`).join('\n')}`);
}

function onPath(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((dir) => existsSync(join(dir, program)));
}

/** Is CAP_SYS_ADMIN (bit 21) among the effective capabilities? */
function mayMount(): boolean {
  const mask = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
  return ((BigInt(`0x${mask}`) >> 21n) & 1n) === 1n;
}
