import type { Host } from '../../../host/host.ts';
import { showUnits, type UnitProperties } from '../../../host/show-units.ts';
import { type Check, preflightFinding, readText } from '../check.ts';

const ASK_MS = 800;
const PROPERTIES = ['LoadState', 'NeedDaemonReload', 'ExecStart'];

/** If it cannot start the kubelet, kubeadm only warns, and then waits minutes for it. */
export const kubeletService: Check = {
  name: 'kubelet service',
  async run(host, { config }) {
    const [unit] = (await showUnits(host, ['kubelet.service'], PROPERTIES, ASK_MS)) ?? [];
    const state = unit?.get('LoadState');
    const isStarted = !config?.skipPhases.some((phase) => phase.startsWith('kubelet-start'));
    if (state === 'loaded' && isStarted && unit !== undefined && isWithoutKubeadm(unit)) {
      const message =
        "the kubelet starts without kubeadm's files: kubelet.service has no --kubeconfig, which kubeadm's drop-in passes (kubelet.service.d/10-kubeadm.conf)";
      return [preflightFinding('fatal', 'KubeletNotStarted', message, { remedy: PUT_DROP_IN })];
    }
    if (state !== 'not-found' && state !== 'masked') return [];
    if (await runsOtherwise(host)) return [];
    const [called, masked] =
      host.platform === 'windows'
        ? ['service kubelet', 'is disabled']
        : ['systemd unit kubelet.service', 'is masked'];
    const what = state === 'masked' ? masked : 'does not exist';
    const isMasked = state === 'masked' && host.platform !== 'windows';
    const more = isMasked ? { remedy: 'Unmask it in the image: systemctl unmask kubelet.' } : {};
    return [preflightFinding('fatal', 'KubeletNotStarted', `the ${called} ${what}`, more)];
  },
};

const PUT_DROP_IN =
  "Install the kubeadm package's drop-in in the image: /usr/lib/systemd/system/kubelet.service.d/10-kubeadm.conf (systemctl cat kubelet shows the current unit).";

/**
 * A kubelet that is called by itself, and without a kubeconfig, belongs to no cluster. What a script or a variable adds is not
 * known here, nor what a drop-in does that systemd has not read yet: kubeadm has it read them all.
 */
function isWithoutKubeadm(unit: UnitProperties): boolean {
  const command = / argv\[\]=((?:\S*\/)?kubelet(?: .*?)?) ; ignore_errors=/.exec(
    unit.get('ExecStart') ?? '',
  )?.[1];
  return (
    command !== undefined &&
    unit.get('NeedDaemonReload') !== 'yes' &&
    !/\$|--?(?:bootstrap-)?kubeconfig\b/.test(command)
  );
}

async function runsOtherwise(host: Host): Promise<boolean> {
  const pids = (await host.files.list('/proc')).filter((name) => /^\d+$/.test(name));
  const names = await Promise.all(pids.map((pid) => readText(host, `/proc/${pid}/comm`)));
  return names.some((name) => name?.trim() === 'kubelet');
}
