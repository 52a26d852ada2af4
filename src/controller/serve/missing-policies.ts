import type { KubeClient } from '../kube/client.ts';
import { isStatus } from '../kube/kube-error.ts';
import type { Log } from '../log.ts';

const BINDINGS = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';
/** Those of manifests/policy. */
const NAMES = ['slipway-secrets', 'slipway-machine-status'];

/** Says so where no policy bounds what the ServiceAccounts may write. */
export async function warnOfMissingPolicies(client: KubeClient, log: Log): Promise<void> {
  const missing: string[] = [];
  for (const name of NAMES) {
    try {
      await client.request('GET', `${BINDINGS}/${name}`);
    } catch (error) {
      // Any other answer says nothing of policies.
      if (isStatus(error, 404)) missing.push(name);
    }
  }
  if (missing.length === 0) return;
  log.warn('rights alone bound what this ServiceAccount may write: there is no policy', {
    missing: missing.join(', '),
    remedy:
      'apply manifests/policy; Kubernetes before 1.30 does not know it: see Rights in docs/controller.md',
  });
}
