import { ExpectedError } from '../../kit/errors.ts';
import type { KubeClient } from '../kube/client.ts';
import { undefinedOnStatus } from '../kube/kube-error.ts';
import { rightsRemedy } from '../store/api-errors.ts';

/** What the controller must be able to do for a machine to enrol there. */
const NEEDED = { group: 'slipway.dev', resource: 'nodebootstraps', verb: 'create' };

/**
 * Looks whether machines could enrol in this namespace. Whoever may not ask that is told nothing: what nobody knows is no reason to warn.
 *
 * @returns a warning; undefined where nothing is amiss
 * @throws ExpectedError where there is no such namespace; KubeError
 */
export async function checkNamespace(
  client: KubeClient,
  namespace: string,
  controllerNamespace: string,
): Promise<string | undefined> {
  const exists = await client.request('GET', `/api/v1/namespaces/${namespace}`).then(
    () => true,
    // Whoever may not read namespaces may still work in one.
    (error: { status?: number }) => error.status !== 404,
  );
  if (!exists) throw new ExpectedError(`there is no namespace ${namespace}; no token was made`);
  const account = `system:serviceaccount:${controllerNamespace}:slipway-controller`;
  const review = await undefinedOnStatus(
    client.request<{ status?: { allowed?: boolean } }>(
      'POST',
      '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      {
        body: {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SubjectAccessReview',
          spec: {
            user: account,
            groups: ['system:serviceaccounts', `system:serviceaccounts:${controllerNamespace}`],
            resourceAttributes: { ...NEEDED, namespace },
          },
        },
      },
    ),
    403,
  );
  if (review?.status?.allowed !== false) return undefined;
  return `the controller has no rights in namespace ${namespace}, so machines with this token cannot enrol yet; ${rightsRemedy(namespace)}`;
}
