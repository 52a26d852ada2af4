import type { Host } from '../../../host/host.ts';
import { type Check, isControlPlane, readText, type Task } from '../check.ts';
import { found } from '../finding.ts';

const LISTENING = '0A';
const ETCD = [2379, 2380];

/** Ports that must be free. Our own earlier attempt may hold some; Slipway cleans it up first. */
export const ports: Check = {
  name: 'ports',
  async run(host, task) {
    if (task.attempted) return [];
    const taken = await listening(host);
    const wanted = portsOf(task).filter((port) => taken.has(port));
    if (wanted.length === 0) return [];
    const owners = await ownersOf(host, new Set(wanted.flatMap((port) => [...(taken.get(port) ?? [])])));
    return wanted.map((port) => {
      // Only the cluster knows whether a joining control plane has an etcd of its own.
      const isSure = !ETCD.includes(port) || task.config?.verb === 'init';
      const owner = [...(taken.get(port) ?? [])].map((inode) => owners.get(inode)).find((name) => name);
      const message = `port ${port} is in use${owner === undefined ? '' : ` by ${owner}`}`;
      return found(isSure ? 'fatal' : 'warning', 'PortInUse', message, { kubeadmCheck: `Port-${port}` });
    });
  },
};

function portsOf(task: Task): number[] {
  const { config } = task;
  if (config === undefined || !isControlPlane(task)) return [10_250];
  return [10_250, config.bindPort, 10_259, 10_257, ...(config.externalEtcd ? [] : ETCD)];
}

/** Each port that somebody listens on, whatever the address, with the inodes of the sockets. */
async function listening(host: Host): Promise<Map<number, Set<string>>> {
  const ports = new Map<number, Set<string>>();
  for (const path of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of ((await readText(host, path)) ?? '').split('\n').slice(1)) {
      const fields = line.trim().split(/\s+/);
      const port = Number.parseInt(fields[1]?.split(':')[1] ?? '', 16);
      if (fields[3] !== LISTENING || Number.isNaN(port)) continue;
      const inodes = ports.get(port) ?? new Set();
      ports.set(port, inodes.add(fields[9] ?? ''));
    }
  }
  return ports;
}

/** `NAME (pid N)` of the processes that hold these sockets, if it can find them. */
async function ownersOf(host: Host, inodes: ReadonlySet<string>): Promise<Map<string, string>> {
  const owners = new Map<string, string>();
  const pids = (await host.files.list('/proc')).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    if (owners.size === inodes.size) break;
    for (const fd of await listOrNothing(host, `/proc/${pid}/fd`)) {
      const inode = /^socket:\[(\d+)\]$/.exec(await linkOrNothing(host, `/proc/${pid}/fd/${fd}`))?.[1];
      if (inode === undefined || !inodes.has(inode)) continue;
      const name = (await readText(host, `/proc/${pid}/comm`))?.trim() ?? 'a process';
      owners.set(inode, `${name} (pid ${pid})`);
    }
  }
  return owners;
}

/** Processes come and go during the look. */
async function listOrNothing(host: Host, path: string): Promise<string[]> {
  return host.files.list(path).catch(() => []);
}

async function linkOrNothing(host: Host, path: string): Promise<string> {
  return host.files.readlink(path).catch(() => '');
}
