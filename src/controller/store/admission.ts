import type { KubeClient } from '../kube/client.ts';
import { undefinedOnStatus } from '../kube/kube-error.ts';
import type { Admission, NodeRecord } from '../model/node-record.ts';
import { FIELD_MANAGER, type NodeBootstrap, objectPath, recordOf } from './node-bootstrap.ts';

/**
 * Writes whether a node may have certificates and secrets, unless somebody has written that since the record was read.
 *
 * @returns the node; undefined if it is not as the record says
 * @throws KubeError
 */
export async function writeAdmission(
  client: KubeClient,
  { namespace, name, spec }: NodeRecord,
  admission: Admission,
): Promise<NodeRecord | undefined> {
  const patched = client.request<NodeBootstrap>('PATCH', objectPath(namespace, name), {
    body: [
      { op: 'test', path: '/spec/keyDigest', value: spec.keyDigest },
      // Null where it is absent, as the API server has it: nobody has shut the node out since.
      { op: 'test', path: '/spec/admission', value: spec.admission ?? null },
      { op: 'add', path: '/spec/admission', value: admission },
    ],
    contentType: 'application/json-patch+json',
    query: { fieldManager: FIELD_MANAGER },
  });
  const object = await undefinedOnStatus(patched, 404, 409, 422);
  return object && recordOf(object);
}
