import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { labGroup, labIds, readRecord } from '../lab-record.ts';
import { runOk } from '../process/command.ts';
import { groupPids, hierarchies } from './cgroups.ts';

/** Everything of this host that a lab might leave behind, as sorted lines. */
export type HostSnapshot = Record<
  'mounts' | 'links' | 'network namespaces' | 'control groups' | 'kernel settings',
  string[]
>;

/** Kernel settings that kubelets, container runtimes and systemd like to change. */
const SETTINGS = [
  'vm/overcommit_memory vm/panic_on_oom vm/max_map_count vm/swappiness kernel/panic kernel/panic_on_oops',
  'kernel/hostname kernel/domainname kernel/pid_max kernel/keys/root_maxkeys kernel/keys/root_maxbytes kernel/core_pattern',
  'kernel/sysrq fs/file-max fs/inotify/max_user_instances fs/inotify/max_user_watches fs/protected_symlinks',
  'net/ipv4/ip_forward net/ipv4/conf/all/rp_filter net/ipv4/conf/default/rp_filter net/bridge/bridge-nf-call-iptables',
].flatMap((line) => line.split(' '));

/** Look at the host. What belongs to a lab that is still in use, of whatever process, is left out. */
export async function hostSnapshot(): Promise<HostSnapshot> {
  const others = await labIds();
  return {
    mounts: (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').sort(),
    links: (await runOk('ip', ['-oneline', 'link'])).split('\n').sort(),
    'network namespaces': await networkNamespaces(others),
    'control groups': (await controlGroups()).filter(
      (dir) => !others.some((id) => dir.includes(labGroup(id))),
    ),
    'kernel settings': await settings(),
  };
}

/** What is in `after` and not in `before` (+), or the other way round (-). Empty: nothing was changed. */
export function compareSnapshots(before: HostSnapshot, after: HostSnapshot): string[] {
  const found: string[] = [];
  for (const kind of Object.keys(before) as (keyof HostSnapshot)[]) {
    for (const line of after[kind]) if (!before[kind].includes(line)) found.push(`${kind}: + ${line}`);
    // That a namespace ended is the doing of whoever lived in it.
    if (kind === 'network namespaces') continue;
    for (const line of before[kind]) if (!after[kind].includes(line)) found.push(`${kind}: - ${line}`);
  }
  return found;
}

async function networkNamespaces(labs: readonly string[]): Promise<string[]> {
  const excluded = new Set<number>();
  for (const id of labs) {
    for (const pid of await groupPids(labGroup(id))) excluded.add(pid);
    const record = await readRecord(id);
    if (record !== undefined) excluded.add(record.holder.pid);
  }
  const [found, ofLabs] = [new Set<string>(), new Set<string>()];
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const namespace = await readlink(`/proc/${entry}/ns/net`).catch(() => undefined);
    if (namespace !== undefined) (excluded.has(Number(entry)) ? ofLabs : found).add(namespace);
  }
  return [...found].filter((namespace) => !ofLabs.has(namespace)).sort();
}

async function controlGroups(): Promise<string[]> {
  const found: string[] = [];
  const walk = async (dir: string, depth: number): Promise<void> => {
    // A group may go while it is looked at; then it is not there, which is all that matters.
    const entries = await readdir(dir, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (!entry.isDirectory()) continue;
      found.push(join(dir, entry.name));
      if (depth < 3) await walk(join(dir, entry.name), depth + 1);
    }
  };
  for (const { mountpoint } of hierarchies()) await walk(mountpoint, 1);
  return found.filter((dir) => dir.includes('slipway') || dir.includes('kube')).sort();
}

async function settings(): Promise<string[]> {
  const lines: string[] = [];
  for (const key of SETTINGS) {
    const value = await readFile(join('/proc/sys', key), 'utf8').catch(() => undefined);
    if (value !== undefined) lines.push(`${key} = ${value.trim()}`);
  }
  return lines;
}
