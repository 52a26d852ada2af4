import type { KubeClient } from '../kube/client.ts';
import { isStatus } from '../kube/kube-error.ts';
import { FIELD_MANAGER } from '../store/node-bootstrap.ts';
import { CONDITION, type Condition, type Machine, type MachineVersion, machinesPath } from './machine.ts';

/**
 * Writes only our condition, by server-side apply. Conditions of Cluster API and of others belong to other
 * field managers and survive.
 *
 * @returns false if the Machine is gone
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
    // The time of a change of status, not of words.
    lastTransitionTime: same ? machine.since : new Date().toISOString().replace(/\.\d+/, ''),
  };
  const status = version === 'v1beta2' ? { conditions: [own] } : { v1beta2: { conditions: [own] } };
  const { namespace, name, uid, apiVersion } = machine;
  try {
    await client.request('PATCH', `${machinesPath(version, namespace)}/${name}/status`, {
      // The UID keeps an old Machine's condition from a new one of the same name.
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
