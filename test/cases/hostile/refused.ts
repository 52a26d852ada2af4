import { strict as assert } from 'node:assert';
import { KubeError } from '../../../src/controller/kube/kube-error.ts';

/** By its rights (403), or by a policy of the manifests (422). */
export async function refused(status: 403 | 422, asked: Promise<unknown>): Promise<void> {
  const error = await asked.then(
    () => new Error('it was allowed'),
    (caught: unknown) => caught,
  );
  assert.ok(error instanceof KubeError, String(error));
  assert.equal(error.status, status, error.message);
  if (status === 422) assert.match(error.message, /ValidatingAdmissionPolicy 'slipway-/);
}
