import {
  ALIKE_CONDITION,
  CAPACITY_MANAGER,
  CAPACITY_PREFIX,
  GROUP_KINDS,
  type GroupKind,
  groupsPath,
} from '../../../src/controller/capacity/group.ts';
import type { KubeClient } from '../../../src/controller/kube/client.ts';
import { CONDITION, type MachineVersion } from '../../../src/controller/machines/machine.ts';
import { groupObject } from '../../support/controller/group-object.ts';
import { refused } from './refused.ts';

const MERGE = 'application/merge-patch+json';
const KINDS = Object.keys(GROUP_KINDS) as GroupKind[];
const NAME = 'of-somebody';

/** Somebody has made groups of Machines, with a condition of Cluster API's. */
export async function makeGroups(admin: KubeClient, version: MachineVersion): Promise<void> {
  for (const kind of KINDS) {
    const path = groupsPath(version, kind, 'default');
    await admin.request('POST', path, { body: groupObject(version, kind, NAME) });
    await patch(admin, `${path}/${NAME}/status`, statusOf(version, [condition('Available', 'True')]));
  }
}

/** Without any rights but those of the manifests. */
export async function groupsByRights(controller: KubeClient, version: MachineVersion): Promise<void> {
  for (const kind of KINDS) {
    const path = groupsPath(version, kind, 'default');
    await refused(403, controller.request('POST', path, { body: groupObject(version, kind, 'another') }));
    await refused(403, controller.request('DELETE', `${path}/${NAME}`));
    await refused(403, patch(controller, `${path}/${NAME}/scale`, { spec: { replicas: 9 } }));
    await refused(403, patch(controller, `${groupsPath(version, kind, 'unnamed')}/${NAME}`, {}));
  }
}

/** By policy, whatever its rights: capacity annotations and its own condition, and nothing else of a group. */
export async function groupsByPolicy(controller: KubeClient, version: MachineVersion): Promise<void> {
  for (const kind of KINDS) {
    const path = `${groupsPath(version, kind, 'default')}/${NAME}`;
    const metadata = (more: object) => patch(controller, path, { metadata: more });
    await controller.request('PATCH', path, {
      body: {
        ...groupObject(version, kind, NAME),
        metadata: { name: NAME, namespace: 'default', annotations: { [`${CAPACITY_PREFIX}cpu`]: '8' } },
        spec: undefined,
      },
      contentType: 'application/apply-patch+yaml',
      query: { fieldManager: CAPACITY_MANAGER },
    });
    const theirs = condition('Available', 'True');
    await patch(
      controller,
      `${path}/status`,
      statusOf(version, [theirs, condition(ALIKE_CONDITION, 'False'), condition(CONDITION, 'False')]),
    );
    for (const more of [
      { annotations: { 'example.com/mine': 'not any more' } },
      { annotations: { 'example.com/mine': null } },
      { annotations: { 'cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size': '99' } },
      { annotations: { 'cluster.x-k8s.io/paused': '' } },
      { labels: { a: 'b' } },
      { finalizers: ['example.com/never'] },
      { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'u' }] },
    ])
      await refused(422, metadata(more));
    await refused(422, patch(controller, path, { spec: { replicas: 9 } }));
    await refused(
      422,
      patch(controller, path, { spec: { template: { spec: { bootstrap: { dataSecretName: 'mine' } } } } }),
    );
    for (const status of [
      statusOf(version, [condition('Available', 'False'), condition(ALIKE_CONDITION, 'False')]),
      statusOf(version, [theirs, condition(CONDITION, 'True'), condition('BootstrapSucceeded', 'True')]),
      { status: { nodeRefs: [{ name: 'another', kind: 'Node' }] } },
      statusOf(version, [condition(ALIKE_CONDITION, 'False')]),
      { status: { replicas: 9 } },
    ])
      await refused(422, patch(controller, `${path}/status`, status));
  }
}

function patch(client: KubeClient, path: string, body: object): Promise<unknown> {
  return client.request('PATCH', path, { body, contentType: MERGE });
}

function statusOf(version: MachineVersion, conditions: object[]): object {
  return { status: version === 'v1beta2' ? { conditions } : { v1beta2: { conditions } } };
}

function condition(type: string, status: string): object {
  return { type, status, reason: 'X', message: 'm', lastTransitionTime: '2026-01-01T00:00:00Z' };
}
