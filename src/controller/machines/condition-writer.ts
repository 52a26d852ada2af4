import type { KubeClient } from '../kube/client.ts';
import { succeedsUnlessStatus } from '../kube/kube-error.ts';
import { FIELD_MANAGER } from '../store/node-bootstrap.ts';
import { type Condition, type Machine, type MachineVersion, machinesPath } from './machine.ts';

/**
 * Writes only our condition, by server-side apply. Conditions of Cluster API and of others belong to other
 * field managers and survive.
 *
 * @param before status and time of this condition as it is on the Machine
 * @param manager each condition has one of its own: who applies, removes what it had applied before and names no more
 * @returns false if the Machine is gone
 * @throws KubeError
 */
export async function writeCondition(
  client: KubeClient,
  version: MachineVersion,
  machine: Machine,
  condition: Condition,
  before: { status?: Condition['status'] | undefined; since?: string | undefined } = machine,
  manager = FIELD_MANAGER,
): Promise<boolean> {
  const same = before.status === condition.status && before.since !== undefined;
  const own = {
    ...condition,
    // The time of a change of status, not of words.
    lastTransitionTime: same ? before.since : new Date().toISOString().replace(/\.\d+/, ''),
  };
  const status = version === 'v1beta2' ? { conditions: [own] } : { v1beta2: { conditions: [own] } };
  const { namespace, name, uid, apiVersion } = machine;
  const written = client.request('PATCH', `${machinesPath(version, namespace)}/${name}/status`, {
    // The UID keeps an old Machine's condition from a new one of the same name.
    body: { apiVersion, kind: 'Machine', metadata: { name, namespace, uid }, status },
    contentType: 'application/apply-patch+yaml',
    query: { fieldManager: manager, force: true },
  });
  return succeedsUnlessStatus(written, 404, 409);
}
