import { verifyNode } from '../../cluster/verify.ts';
import type { Host } from '../../host/host.ts';
import type { KubeadmCall } from '../../kubeadm/config/call.ts';
import { looksJoined } from '../../kubeadm/repeat/joined.ts';

/**
 * Is this machine the node that the call asks for, whatever the journal says? What kubeadm leaves must be
 * there, the kubelet must be healthy, and the cluster, where it answers, must know the Node. May take as long
 * as a node needs after a reboot.
 */
export async function isStillNode(
  host: Host,
  verb: 'init' | 'join',
  call: KubeadmCall,
  signal: AbortSignal,
): Promise<boolean> {
  if (!(await looksJoined(host, verb))) return false;
  // Below a root directory no kubelet runs.
  if (host.root !== '/') return true;
  const config = (await call.read()).config ?? { skipPhases: [] };
  return (await verifyNode(host, { config, signal, onProgress: () => undefined })).ok;
}
