import type { Host } from '../../../host/host.ts';

const SERVICE = '/etc/systemd/system/multi-user.target.wants/slipway.service';
const CLOUD_INIT = '/usr/bin/cloud-init';
const CLOUD_INIT_OFF = '/etc/cloud/cloud-init.disabled';
const SHIM = '/usr/local/bin/kubeadm';

/** Is this image set up so that Slipway bootstraps the machine, as a service or under the name kubeadm? */
export async function expectsSlipway(host: Host): Promise<boolean> {
  const { files } = host;
  const shim = await files.stat(SHIM);
  if (shim?.kind === 'symlink' && /(?:^|\/)slipway$/.test(await files.readlink(SHIM))) return true;
  if (!(await files.stat(SERVICE))) return false;
  // The service stands back where cloud-init runs the boot (systemd/slipway.service).
  return !(await files.stat(CLOUD_INIT)) || (await files.stat(CLOUD_INIT_OFF)) !== undefined;
}
