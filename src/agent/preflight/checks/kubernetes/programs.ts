import type { Host } from '../../../host/host.ts';
import { type Check, isBefore, type PreflightFinding, preflightFinding, type Task } from '../check.ts';

/** Directories to search whatever PATH says, because commands before kubeadm may extend it. */
const DIRECTORIES = [
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/sbin',
  '/usr/bin',
  '/sbin',
  '/bin',
  '/opt/bin',
];

/** The programs that kubeadm and kubelet call. kubeadm itself reports those that it only warns about. */
export const programs: Check = {
  name: 'programs',
  async run(host, task) {
    const demanded = demandedBy(task);
    const missing = new Set<string>();
    await Promise.all(
      [...demanded, ...USEFUL, 'kubelet'].map(async (name) => {
        if (!(await isThere(host, name, task.searchPath ?? []))) missing.add(name);
      }),
    );
    return [...missing].flatMap((name): PreflightFinding[] => {
      const message = `the program ${name} is not installed`;
      if (name === 'kubelet') return [preflightFinding('fatal', 'ProgramMissing', message)];
      const check = { kubeadmCheck: `FileExisting-${name}` };
      return [
        preflightFinding(demanded.includes(name) ? 'fatal' : 'warning', 'ProgramMissing', message, check),
      ];
    });
  },
};

/** Network plug-ins and kube-proxy call these, also where kubeadm does not look for them. */
const USEFUL = ['iptables', 'conntrack'];

/** kubeadm refuses to begin without these; its source from 1.20 to 1.36. All of those demand mount. */
function demandedBy(task: Task): string[] {
  if (task.kubeadmMinor === undefined) return ['mount'];
  if (!isBefore(task, 33)) return ['mount', 'losetup', 'cp'];
  // Since 1.32, kube-proxy works without conntrack (kubernetes/kubernetes #126952).
  const conntrack = isBefore(task, 32) ? ['conntrack'] : [];
  return ['mount', 'ip', 'iptables', 'nsenter', ...conntrack, ...(needsCrictl(task) ? ['crictl'] : [])];
}

/** Before 1.31 kubeadm asked the runtime through crictl, but before 1.24 it took docker for granted. */
function needsCrictl(task: Task): boolean {
  const socket = task.config?.criSocket;
  const isDocker = isBefore(task, 24) && (socket === undefined || socket.endsWith('dockershim.sock'));
  return isBefore(task, 31) && !isDocker;
}

async function isThere(host: Host, name: string, more: string[]): Promise<boolean> {
  if ((await host.processes.which(name)) !== undefined) return true;
  for (const directory of [...DIRECTORIES, ...more]) {
    if ((await host.files.stat(`${directory}/${name}`)) !== undefined) return true;
  }
  return false;
}
