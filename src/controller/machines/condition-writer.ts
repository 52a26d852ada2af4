import type { KubeClient } from '../kube/client.ts';
import { isStatus } from '../kube/kube-error.ts';
import { FIELD_MANAGER } from '../store/node-bootstrap.ts';
import { CONDITION, type Condition, type Machine, type MachineVersion, machinesPath } from './machine.ts';

/**
 * Writes our condition, and nothing else, by server-side apply: conditions of Cluster API and of third parties belong to
 * other field managers and survive.
 *
 * @returns false where the Machine is gone
 * @throws KubeError
 */
export async function writeCondition(
  client: KubeClient,
  version: MachineVersion,
  machine: Machine,
  condition: Condition,
): Promise<boolean> {
  const same = machine.status === condition.status && machine.since !== undefined;
  const own = {
    ...condition,
    type: CONDITION,
    // It tells when the status changed, not when the words did.
    lastTransitionTime: same ? machine.since : new Date().toISOString().replace(/\.\d+/, ''),
  };
  const status = version === 'v1beta2' ? { conditions: [own] } : { v1beta2: { conditions: [own] } };
  const { namespace, name, uid, apiVersion } = machine;
  try {
    await client.request('PATCH', `${machinesPath(version, namespace)}/${name}/status`, {
      // With the UID, so that a new Machine of the same name does not get the condition of an old one.
      body: { apiVersion, kind: 'Machine', metadata: { name, namespace, uid }, status },
      contentType: 'application/apply-patch+yaml',
      query: { fieldManager: FIELD_MANAGER, force: true },
    });
    return true;
  } catch (error) {
    if (isStatus(error, 404) || isStatus(error, 409)) return false;
    throw error;
  }
}
