import type { KubeClient } from '../kube/client.ts';
import { isStatus, KubeError } from '../kube/kube-error.ts';
import type { TpmCounters } from '../model/node-record.ts';
import { FIELD_MANAGER, objectPath } from './node-bootstrap.ts';
import { StoreBusy } from './store.ts';
import type { WriteBudget } from './write-budget.ts';

/**
 * Writes what a TPM's counters were in its last proof, unless the node is another TPM's by now.
 *
 * @throws StoreBudgetExceeded, StoreBusy, KubeError
 */
export async function writeCounters(
  client: KubeClient,
  budget: WriteBudget,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  endorsementKey: string,
  counters: TpmCounters,
): Promise<void> {
  budget.spend({ namespace, name, spec: { keyDigest: '', enrolment: { endorsementKey } } }, counters);
  try {
    await client.request('PATCH', objectPath(namespace, name), {
      body: [
        { op: 'test', path: '/spec/enrolment/endorsementKey', value: endorsementKey },
        { op: 'add', path: '/spec/counters', value: counters },
      ],
      contentType: 'application/json-patch+json',
      query: { fieldManager: FIELD_MANAGER },
    });
  } catch (error) {
    if (isStatus(error, 404) || isStatus(error, 409) || isStatus(error, 422)) return;
    if (error instanceof KubeError && error.passing)
      throw new StoreBusy(error.message, error.retryAfterMs, { cause: error });
    throw error;
  }
}
