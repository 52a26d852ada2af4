import type { KubeClient } from '../kube/client.ts';
import { succeedsUnlessStatus } from '../kube/kube-error.ts';
import { FIELD_MANAGER } from '../store/node-bootstrap.ts';
import { type Condition, type MachineVersion, machinesPath } from './machine.ts';

/** What a condition is on; it may have this condition already. */
interface Conditioned {
  /** Default: Machine. */
  readonly kind?: 'MachinePool';
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly apiVersion: string;
  readonly status?: Condition['status'] | undefined;
  readonly since?: string | undefined;
}

/**
 * Writes only our condition, by server-side apply. Conditions of Cluster API and of others belong to other
 * field managers and survive.
 *
 * @param before status and time of this condition as it is on the object
 * @param manager each condition has one of its own: who applies, removes what it had applied before and names no more
 * @returns false if the object is gone
 * @throws KubeError
 */
export async function writeCondition(
  client: KubeClient,
  version: MachineVersion,
  object: Conditioned,
  condition: Condition,
  before: { status?: Condition['status'] | undefined; since?: string | undefined } = object,
  manager = FIELD_MANAGER,
): Promise<boolean> {
  const same = before.status === condition.status && before.since !== undefined;
  const own = {
    ...condition,
    // The time of a change of status, not of words.
    lastTransitionTime: same ? before.since : new Date().toISOString().replace(/\.\d+/, ''),
  };
  const status = version === 'v1beta2' ? { conditions: [own] } : { v1beta2: { conditions: [own] } };
  const { namespace, name, uid, apiVersion, kind = 'Machine' } = object;
  const path = machinesPath(version, namespace, kind === 'Machine' ? 'machines' : 'machinepools');
  const written = client.request('PATCH', `${path}/${name}/status`, {
    // The UID keeps an old object's condition from a new one of the same name.
    body: { apiVersion, kind, metadata: { name, namespace, uid }, status },
    contentType: 'application/apply-patch+yaml',
    query: { fieldManager: manager, force: true },
  });
  return succeedsUnlessStatus(written, 404, 409);
}
