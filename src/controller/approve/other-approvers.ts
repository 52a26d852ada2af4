import type { KubeClient } from '../kube/client.ts';
import { isStatus } from '../kube/kube-error.ts';
import { type Log, reason } from '../log.ts';

const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
/** By these of kubeadm's, kube-controller-manager approves clients' certificates: of any name for any bootstrap token. */
const NAMES = ['kubeadm:node-autoapprove-bootstrap', 'kubeadm:node-autoapprove-certificate-rotation'];

/** Warns where somebody else approves too, whatever is denied here. */
export async function warnOfOtherApprovers(client: KubeClient, cluster: string, log: Log): Promise<void> {
  const there: string[] = [];
  for (const name of NAMES) {
    try {
      await client.request('GET', `${BINDINGS}/${name}`);
      there.push(name);
    } catch (error) {
      // What is not there approves nothing. What cannot be looked at keeps nobody from deciding.
      if (!isStatus(error, 404))
        log.info('whether kube-controller-manager approves as well is not known', {
          ...{ cluster, binding: name, reason: reason(error) },
        });
    }
  }
  if (there.length === 0) return;
  log.warn("kube-controller-manager approves clients' certificates as well, without asking for a Machine", {
    ...{ cluster, bindings: there.join(', ') },
    remedy: 'kubectl delete clusterrolebinding, as docs/approver.md says',
  });
}
