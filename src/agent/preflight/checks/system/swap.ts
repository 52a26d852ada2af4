import { type Check, isBefore, readText } from '../check.ts';
import { preflightFinding } from '../finding.ts';

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
