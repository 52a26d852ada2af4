import type { Host } from '../../../host/host.ts';
import { showUnits } from '../../../host/show-units.ts';
import { type Check, readText } from '../check.ts';
import { found } from '../finding.ts';

const ASK_MS = 800;

/** If it cannot start the kubelet, kubeadm only warns, and then waits minutes for it. */
export const kubeletService: Check = {
  name: 'kubelet service',
  async run(host) {
    const [unit] = (await showUnits(host, ['kubelet.service'], ['LoadState'], ASK_MS)) ?? [];
    const state = unit?.get('LoadState');
    if (state !== 'not-found' && state !== 'masked') return [];
    if (await runsOtherwise(host)) return [];
    const [called, masked] =
      host.platform === 'windows'
        ? ['service kubelet', 'is disabled']
        : ['systemd unit kubelet.service', 'is masked'];
    const what = state === 'masked' ? masked : 'does not exist';
    return [found('fatal', 'KubeletNotStarted', `the ${called} ${what}`)];
  },
};

async function runsOtherwise(host: Host): Promise<boolean> {
  const pids = (await host.files.list('/proc')).filter((name) => /^\d+$/.test(name));
  const names = await Promise.all(pids.map((pid) => readText(host, `/proc/${pid}/comm`)));
  return names.some((name) => name?.trim() === 'kubelet');
}
