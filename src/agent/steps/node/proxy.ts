import { omitUndefined } from '../../../kit/json.ts';
import type { KubeadmCommand } from '../../document/document.ts';
import type { ProxySettings } from '../../document/node-settings.ts';
import { PROXY_FILE } from '../../document/paths.ts';
import { failed } from '../../engine/failure.ts';
import type { Host } from '../../host/host.ts';
import { noProxy } from '../../kubeadm/config/proxy.ts';
import { proxyFile } from '../../kubeadm/run/real-kubeadm.ts';
import { runTool } from '../../tools/run-tool.ts';
import { StepError } from '../../tools/step-error.ts';
import { isSystemdRunning } from '../../tools/systemd.ts';
import { noteRestart, restartContainerd } from '../containerd/containerd.ts';
import type { Work } from '../kind/step-kind.ts';

const UNITS = ['containerd', 'kubelet', 'slipway-report'];

/** The file has mode 0600, as it may hold a proxy's password; anybody can ask systemd for Environment=. */
const DROP_IN = `# Written by Slipway from the settings of the node (slipway.proxy).
[Service]
EnvironmentFile=-${PROXY_FILE}
`;

export interface ProxySpec {
  settings: ProxySettings;
  command: KubeadmCommand | undefined;
  /** Another step restarts containerd later. */
  restartLater: boolean;
}

/**
 * Gives the proxy settings to containerd, the kubelet, Slipway's reporter and kubeadm (which hands them to
 * the static pods that it writes). It adds the cluster's own networks and API servers to the exceptions.
 */
export const setUpProxy: Work<ProxySpec> = ({ settings, command, restartLater }, shared) => ({
  async run({ host, signal }) {
    const except = noProxy(settings.except, command && (await shared.call(command).read()));
    const http = settings.http?.reveal();
    const https = settings.https?.reveal();
    const wanted = proxyFile({
      ...omitUndefined({ HTTP_PROXY: http, HTTPS_PROXY: https }),
      NO_PROXY: except.join(','),
    });
    const changed = await isOther(host, PROXY_FILE, wanted);
    const units: string[] = [];
    for (const unit of UNITS) if (changed || (await isOther(host, dropIn(unit), DROP_IN))) units.push(unit);
    if (units.length === 0) return { done: true, message: 'as wanted already' };
    if (units.includes('containerd')) await noteRestart(host);
    await host.files.write(PROXY_FILE, wanted, { mode: 0o600, owner: 'root:root' });
    for (const unit of units) await host.files.write(dropIn(unit), DROP_IN, { mode: 0o644 });
    try {
      await apply(host, units, restartLater, signal);
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
      return failed(error.code, error.message, error.more);
    }
    return { done: true, message: `for kubeadm, ${units.join(', ')}; directly: ${except.join(', ')}` };
  },
});

const dropIn = (unit: string): string => `/etc/systemd/system/${unit}.service.d/50-slipway-proxy.conf`;

async function isOther(host: Host, path: string, wanted: string): Promise<boolean> {
  return (await host.files.readIfPresent(path))?.toString('utf8') !== wanted;
}

async function apply(host: Host, units: string[], restartLater: boolean, signal: AbortSignal): Promise<void> {
  if (!(await isSystemdRunning(host))) return;
  const how = { code: 'ProxyNotSetUp', timeoutMs: 60_000, signal } as const;
  await runTool(host, ['systemctl', 'daemon-reload'], { doing: 'make systemd read the drop-ins', ...how });
  // The step for containerd's own settings comes later and restarts it for both.
  if (units.includes('containerd') && !restartLater && (await isActive(host, 'containerd')))
    await restartContainerd(host, signal);
  // Running services get the new settings; on a new node, kubeadm starts the kubelet.
  for (const unit of units.filter((name) => name !== 'containerd'))
    await runTool(host, ['systemctl', 'try-restart', '--no-block', `${unit}.service`], {
      doing: `restart ${unit}`,
      accept: [0, 5],
      ...how,
    });
}

async function isActive(host: Host, unit: string): Promise<boolean> {
  const argv = ['systemctl', 'is-active', '--quiet', `${unit}.service`] as const;
  return (await host.processes.run({ argv: [...argv], timeoutMs: 10_000 })).exitStatus === 0;
}
