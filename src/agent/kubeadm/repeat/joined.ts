/** Evidence on disk that a node is still bootstrapped, for deciding whether a finished step may be skipped. */
import { API_SERVER_MANIFEST } from '../../document/paths.ts';
import type { Host } from '../../host/host.ts';

/** What a machine that has joined has. */
export const JOINED_FILES: readonly string[] = [
  '/etc/kubernetes/kubelet.conf',
  '/var/lib/kubelet/pki/kubelet-client-current.pem',
];

/**
 * Is the work of a finished `kubeadm init` or `join` still there?
 *
 * /etc/kubernetes/kubelet.conf alone proves nothing: it is written before any certificate is issued. The kubelet's
 * client certificate is the proof; for a control plane made by `init`, also its admin.conf and API server manifest.
 * Does not ask the cluster. Throws HostError when the disk cannot be read.
 */
export async function isStillJoined(host: Host, verb: 'init' | 'join'): Promise<boolean> {
  const needed = [...JOINED_FILES];
  if (verb === 'init') needed.push('/etc/kubernetes/admin.conf', API_SERVER_MANIFEST);
  for (const path of needed) {
    if ((await host.files.stat(path)) === undefined) return false;
  }
  return true;
}
