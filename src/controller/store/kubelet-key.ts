import type { KubeClient } from '../kube/client.ts';
import { isStatus, KubeError } from '../kube/kube-error.ts';
import type { KubeletKey, NodeRecord } from '../model/node-record.ts';
import { FIELD_MANAGER, objectPath } from './node-bootstrap.ts';
import { StoreBusy } from './store.ts';
import type { WriteBudget } from './write-budget.ts';

/**
 * Writes which key the kubelet of a node has, unless the node is another machine's by now, or may have nothing.
 *
 * @returns false if it is not as the record says
 * @throws StoreBudgetExceeded, StoreBusy, KubeError
 */
export async function writeKubeletKey(
  client: KubeClient,
  budget: WriteBudget,
  node: NodeRecord,
  kubelet: KubeletKey,
): Promise<boolean> {
  budget.spend(node, kubelet);
  const { namespace, name, spec } = node;
  const { keyDigest, admission } = spec;
  try {
    await client.request('PATCH', objectPath(namespace, name), {
      body: [
        { op: 'test', path: '/spec/keyDigest', value: keyDigest },
        // Null where it is absent (RFC 6902 as the API server has it): nobody has shut the node out since.
        { op: 'test', path: '/spec/admission', value: admission ?? null },
        { op: 'add', path: '/spec/kubelet', value: kubelet },
      ],
      contentType: 'application/json-patch+json',
      query: { fieldManager: FIELD_MANAGER },
    });
    return true;
  } catch (error) {
    if (isStatus(error, 404) || isStatus(error, 409) || isStatus(error, 422)) return false;
    if (error instanceof KubeError && error.passing)
      throw new StoreBusy(error.message, error.retryAfterMs, { cause: error });
    throw error;
  }
}
