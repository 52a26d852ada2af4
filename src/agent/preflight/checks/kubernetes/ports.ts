import type { Host } from '../../../host/host.ts';
import { type Check, isControlPlane, preflightFinding, readText, type Task } from '../check.ts';

const LISTENING = '0A';
const ETCD = [2379, 2380];
const KUBELET = 10_250;
/** Since this minor version kubeadm asks for the control plane's ports on the address alone that each is to have. */
const BY_ADDRESS = 37;

/** Ports that must be free. Our own earlier attempt may hold some; Slipway cleans it up first. */
export const ports: Check = {
  name: 'ports',
  async run(host, task) {
    if (task.attempted) return [];
    const taken = await listening(host);
    const wanted = portsOf(task).filter((port) => taken.has(port));
    if (wanted.length === 0) return [];
    const owners = await ownersOf(
      host,
      new Set(wanted.flatMap((port) => [...(taken.get(port)?.inodes ?? [])])),
    );
    return wanted.map((port) => {
      // Only the cluster knows whether a joining control plane has an etcd of its own.
      const isOfCluster = ETCD.includes(port) && task.config?.verb !== 'init';
      // On another address it is in nobody's way; which one counts, flags of the static pods may say.
      const mayBeElsewhere =
        port !== KUBELET && (task.kubeadmMinor ?? 0) >= BY_ADDRESS && taken.get(port)?.isEverywhere === false;
      const isSure = !isOfCluster && !mayBeElsewhere;
      const owner = [...(taken.get(port)?.inodes ?? [])]
        .map((inode) => owners.get(inode))
        .find((name) => name);
      const message = `port ${port} is in use${owner === undefined ? '' : ` by ${owner}`}`;
      return preflightFinding(isSure ? 'fatal' : 'warning', 'PortInUse', message, {
        kubeadmCheck: `Port-${port}`,
      });
    });
  },
};

function portsOf(task: Task): number[] {
  const { config } = task;
  if (config === undefined || !isControlPlane(task)) return [KUBELET];
  return [KUBELET, config.bindPort, 10_259, 10_257, ...(config.externalEtcd ? [] : ETCD)];
}

interface Taken {
  /** Of the sockets. */
  inodes: Set<string>;
  /** One of them listens on all addresses. */
  isEverywhere: boolean;
}

/** Each port that somebody listens on, whatever the address. */
async function listening(host: Host): Promise<Map<number, Taken>> {
  const ports = new Map<number, Taken>();
  for (const path of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of ((await readText(host, path)) ?? '').split('\n').slice(1)) {
      const fields = line.trim().split(/\s+/);
      const [address = '', number = ''] = fields[1]?.split(':') ?? [];
      const port = Number.parseInt(number, 16);
      if (fields[3] !== LISTENING || Number.isNaN(port)) continue;
      const taken = ports.get(port) ?? { inodes: new Set(), isEverywhere: false };
      taken.inodes.add(fields[9] ?? '');
      taken.isEverywhere ||= /^0+$/.test(address);
      ports.set(port, taken);
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
