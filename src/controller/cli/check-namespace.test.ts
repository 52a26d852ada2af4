import { expect, it } from 'vitest';
import type { KubeClient } from '../kube/client.ts';
import { KubeError } from '../kube/kube-error.ts';
import { checkNamespace } from './check-namespace.ts';

/** @param namespace what is answered for the namespace @param allowed what is answered for the controller's rights */
function check(namespace: number, allowed: boolean | number): Promise<string | undefined> {
  const request = async (
    method: string,
    path: string,
    { body }: { body?: object } = {},
  ): Promise<unknown> => {
    if (path === '/api/v1/namespaces/team-a') {
      if (namespace !== 200) throw new KubeError(namespace, 'No', 'no');
      return {};
    }
    expect(`${method} ${path}`).toBe('POST /apis/authorization.k8s.io/v1/subjectaccessreviews');
    expect(body).toMatchObject({
      spec: {
        user: 'system:serviceaccount:slipway-system:slipway-controller',
        resourceAttributes: {
          group: 'slipway.dev',
          resource: 'nodebootstraps',
          verb: 'create',
          namespace: 'team-a',
        },
      },
    });
    if (typeof allowed === 'number') throw new KubeError(allowed, 'No', 'no');
    return { status: { allowed } };
  };
  return checkNamespace({ request } as unknown as KubeClient, 'team-a', 'slipway-system');
}

it('finds a namespace that is not there, and one where the controller has no rights', async () => {
  expect(await check(200, true)).toBeUndefined();
  await expect(check(404, true)).rejects.toThrow('there is no namespace team-a; no token was made');
  expect(await check(200, false)).toContain('--namespace team-a --filename manifests/namespace/rights.yaml');
});

it('says nothing of what the caller may not ask', async () => {
  expect(await check(403, true)).toBeUndefined();
  expect(await check(200, 403)).toBeUndefined();
});
