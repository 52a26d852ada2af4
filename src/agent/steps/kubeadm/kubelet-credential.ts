import type { Host } from '../../host/host.ts';

/** Has the kubelet that a join starts get its certificate as the settings say: by `slipway credential`, or as kubeadm sets it up. */
export async function prepareCredential(host: Host, verb: string, nodeName: string): Promise<void> {
  if (host.platform === 'windows' || host.root !== '/') return;
  const { loadSettings } = await import('../../settings/load-settings.ts');
  const { controller } = (await loadSettings(host)).settings;
  const wants = verb === 'join' && controller?.kubelet === true && controller.tpm !== undefined;
  const { configureKubelet } = await import('../../credential/kubelet-setup.ts');
  await configureKubelet(host, wants ? nodeName : undefined, process.execPath);
}
