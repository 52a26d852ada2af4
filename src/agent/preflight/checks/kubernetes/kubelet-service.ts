import type { Host } from '../../../host/host.ts';
import { type Check, readText } from '../check.ts';
import { found } from '../finding.ts';

/** kubeadm only warns when it cannot start the kubelet, and then waits for minutes for one that nobody starts. */
export const kubeletService: Check = {
  name: 'kubelet service',
  async run(host) {
    const argv: [string, ...string[]] = [
      'systemctl',
      'show',
      'kubelet.service',
      '-p',
      'LoadState',
      '--value',
    ];
    const { exitStatus, stdout } = await host.processes.run({ argv, timeoutMs: 800 });
    const state = stdout.trim();
    if (exitStatus !== 0 || (state !== 'not-found' && state !== 'masked')) return [];
    if (await runsOtherwise(host)) return [];
    const what = state === 'masked' ? 'is masked' : 'does not exist';
    return [found('fatal', 'KubeletNotStarted', `the systemd unit kubelet.service ${what}`)];
  },
};

async function runsOtherwise(host: Host): Promise<boolean> {
  const pids = (await host.files.list('/proc')).filter((name) => /^\d+$/.test(name));
  const names = await Promise.all(pids.map((pid) => readText(host, `/proc/${pid}/comm`)));
  return names.some((name) => name?.trim() === 'kubelet');
}
