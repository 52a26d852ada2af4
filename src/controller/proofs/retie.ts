import type { KubeClient } from '../kube/client.ts';
import { undefinedOnStatus } from '../kube/kube-error.ts';
import type { MachineTie, NodeRecord, NodeSpec } from '../model/node-record.ts';
import { toStoreBusy } from '../store/api-errors.ts';
import { FIELD_MANAGER, type NodeBootstrap, objectPath, recordOf } from '../store/node-bootstrap.ts';

/**
 * Writes how the Machine of a node is known now, where somebody has come to vouch for its endorsement key, or no longer does.
 * What the node has told stays.
 *
 * @returns the node; undefined if it is not as the record says
 * @throws StoreBusy, KubeError
 */
export async function writeTie(
  client: KubeClient,
  { namespace, name, spec }: NodeRecord,
  machine: MachineTie,
  enrolment: NodeSpec['enrolment'],
): Promise<NodeRecord | undefined> {
  const patched = client.request<NodeBootstrap>('PATCH', objectPath(namespace, name), {
    body: [
      { op: 'test', path: '/spec/keyDigest', value: spec.keyDigest },
      { op: 'test', path: '/spec/machine/by', value: spec.machine?.by },
      { op: 'test', path: '/spec/enrolment/endorsementKey', value: enrolment.endorsementKey },
      { op: 'replace', path: '/spec/machine', value: machine },
      { op: 'replace', path: '/spec/enrolment', value: { ...enrolment, at: spec.enrolment.at } },
    ],
    contentType: 'application/json-patch+json',
    query: { fieldManager: FIELD_MANAGER },
  });
  try {
    const object = await undefinedOnStatus(patched, 404, 409, 422);
    return object && recordOf(object);
  } catch (error) {
    throw toStoreBusy(error);
  }
}
