import type { Host } from '../../../host/host.ts';
import { type Check, isBefore, type Task } from '../check.ts';
import { found, type PreflightFinding } from '../finding.ts';

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

/** Every kubeadm from 1.20 to 1.33 demands these; about later ones nothing is known here. */
const DEMANDED = ['ip', 'iptables', 'mount', 'nsenter'];
const LAST_KNOWN = 33;

/** The programs that kubeadm and kubelet call. kubeadm itself reports those that it only warns about. */
export const programs: Check = {
  name: 'programs',
  async run(host, task) {
    const names = [...DEMANDED, 'conntrack', 'kubelet', ...(needsCrictl(task) ? ['crictl'] : [])];
    const missing = new Set<string>();
    await Promise.all(
      names.map(async (name) => {
        if (!(await isThere(host, name, task.searchPath ?? []))) missing.add(name);
      }),
    );
    return [...missing].flatMap((name): PreflightFinding[] => {
      const message = `the program ${name} is not installed`;
      if (name === 'kubelet') return [found('fatal', 'ProgramMissing', message)];
      const check = { kubeadmCheck: `FileExisting-${name}` };
      return [found(isDemanded(name, task) ? 'fatal' : 'warning', 'ProgramMissing', message, check)];
    });
  },
};

function isDemanded(name: string, task: Task): boolean {
  // Since 1.32, kube-proxy works without conntrack (kubernetes/kubernetes #126952).
  if (name === 'conntrack') return isBefore(task, 32);
  if (name === 'crictl') return true;
  return task.kubeadmMinor === undefined || isBefore(task, LAST_KNOWN + 1);
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
