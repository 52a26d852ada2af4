import { verifyNode } from '../../cluster/verify.ts';
import type { Document } from '../../document/document.ts';
import type { Host } from '../../host/host.ts';
import { KubeadmCall } from '../../kubeadm/config/call.ts';
import { isStillJoined } from '../../kubeadm/repeat/joined.ts';

/**
 * Is this machine the node that the call of kubeadm among the commands asks for, whatever the journal says? What kubeadm
 * leaves must be there, the kubelet must be healthy, and the cluster, where it answers, must know the Node. May take as long as
 * a node needs after a reboot.
 */
export async function isStillNode(
  host: Host,
  commands: Document['commands'] | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  const command = commands?.find((entry) => entry.kind === 'kubeadm');
  if (command === undefined || !(await isStillJoined(host, command.verb))) return false;
  // Below a root directory no kubelet runs.
  if (host.root !== '/') return true;
  const config = (await new KubeadmCall(host, command).read()).config ?? { skipPhases: [] };
  return (await verifyNode(host, { config, signal, onProgress: () => undefined })).ok;
}
