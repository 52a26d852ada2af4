import { countOfList } from '../../../../kit/number-list.ts';
import {
  type Check,
  isBefore,
  isControlPlane,
  type PreflightFinding,
  preflightFinding,
  readText,
} from '../check.ts';

/** kubeadm demands these only of a control plane. */
const CPUS = 2;
const MEMORY_MB = 1700;

/** Counts like kubeadm: the processors that this process may use, and all memory of the machine. */
export const resources: Check = {
  name: 'processors and memory',
  async run(host, task) {
    if (!isControlPlane(task)) return [];
    const findings: PreflightFinding[] = [];
    const list = /^Cpus_allowed_list:\s+(\S+)/m.exec((await readText(host, '/proc/self/status')) ?? '')?.[1];
    const cpus = list === undefined ? undefined : countOfList(list);
    if (cpus !== undefined && cpus < CPUS) {
      const message = `a control plane needs ${CPUS} processors, and this machine has ${cpus}`;
      findings.push(preflightFinding('fatal', 'MachineTooSmall', message, { kubeadmCheck: 'NumCPU' }));
    }
    const kilobytes = /^MemTotal:\s+(\d+) kB/m.exec((await readText(host, '/proc/meminfo')) ?? '')?.[1];
    const megabytes = kilobytes === undefined ? undefined : Math.floor(Number(kilobytes) / 1024);
    if (megabytes !== undefined && megabytes < MEMORY_MB) {
      const message = `a control plane needs ${MEMORY_MB} MB of memory, and this machine has ${megabytes} MB`;
      findings.push(preflightFinding('fatal', 'MachineTooSmall', message, { kubeadmCheck: 'Mem' }));
    }
    return findings;
  },
};

/**
 * Before 1.23, kubeadm refuses swap; since then it only warns (kubernetes/kubernetes #104854). Whether the
 * kubelet then starts depends on failSwapOn, which a joining machine learns from the cluster.
 */
export const swap: Check = {
  name: 'swap',
  async run(host, task) {
    const devices = ((await readText(host, '/proc/swaps')) ?? '')
      .split('\n')
      .slice(1)
      .flatMap((line) => /^(\S+)/.exec(line)?.[1] ?? []);
    if (devices.length === 0) return [];
    const severity = isBefore(task, 23) ? 'fatal' : 'warning';
    return [
      preflightFinding(severity, 'SwapEnabled', `swap is on: ${devices.join(', ')}`, {
        kubeadmCheck: 'Swap',
      }),
    ];
  },
};
