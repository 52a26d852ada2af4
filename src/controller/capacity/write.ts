import type { KubeClient } from '../kube/client.ts';
import { succeedsUnlessStatus } from '../kube/kube-error.ts';
import { apiVersionOf, type Condition, type MachineVersion } from '../machines/machine.ts';
import { FIELD_MANAGER } from '../store/node-bootstrap.ts';
import { ALIKE_CONDITION, CAPACITY_MANAGER, type Group, groupsPath } from './group.ts';

/**
 * Gives a group these annotations of ours and no others, by server-side apply. Nothing is forced: what somebody else has set
 * meanwhile stays, and the watch tells of it.
 *
 * @throws KubeError
 */
export async function writeAnnotations(
  client: KubeClient,
  version: MachineVersion,
  group: Group,
  annotations: Readonly<Record<string, string>>,
): Promise<void> {
  // An empty mapping is null to Kubernetes 1.20, and takes nothing back.
  const metadata = Object.keys(annotations).length === 0 ? {} : { annotations };
  await apply(client, version, group, '', metadata, {}, false);
}

/** Writes the condition that says whether the machines are alike. @throws KubeError */
export async function writeAlikeCondition(
  client: KubeClient,
  version: MachineVersion,
  group: Group,
  said: Pick<Condition, 'status' | 'reason' | 'message'>,
): Promise<void> {
  const same = group.condition?.status === said.status && group.condition.lastTransitionTime !== undefined;
  const own = {
    type: ALIKE_CONDITION,
    ...said,
    lastTransitionTime: same
      ? group.condition?.lastTransitionTime
      : new Date().toISOString().replace(/\.\d+/, ''),
  };
  const status = version === 'v1beta2' ? { conditions: [own] } : { v1beta2: { conditions: [own] } };
  await apply(client, version, group, '/status', {}, { status }, true);
}

async function apply(
  client: KubeClient,
  version: MachineVersion,
  { kind, namespace, name, uid }: Group,
  subresource: '' | '/status',
  metadata: object,
  body: object,
  force: boolean,
): Promise<void> {
  const written = client.request('PATCH', `${groupsPath(version, kind, namespace)}/${name}${subresource}`, {
    // The UID keeps a group that is gone from coming back as one of annotations alone.
    body: {
      apiVersion: apiVersionOf(version),
      kind,
      metadata: { name, namespace, uid, ...metadata },
      ...body,
    },
    contentType: 'application/apply-patch+yaml',
    query: { fieldManager: subresource === '' ? CAPACITY_MANAGER : FIELD_MANAGER, force },
  });
  await succeedsUnlessStatus(written, 404, 409);
}
