import type { KubeClient } from '../kube/client.ts';
import type { KubeObject } from '../kube/objects.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1/namespaces';

/**
 * Gives the minter the right to change this one Secret, by name, and none on others: neither to read nor to write them. It goes with the
 * Secret.
 *
 * @throws KubeError
 */
export async function allowRenewal(
  client: KubeClient,
  secret: KubeObject,
  controllerNamespace: string,
): Promise<void> {
  const { name, namespace = '', uid = '' } = secret.metadata;
  const metadata = {
    name: `slipway-token-${name}`.slice(0, 253),
    namespace,
    ownerReferences: [{ apiVersion: 'v1', kind: 'Secret', name, uid }],
  };
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  await apply(client, `${RBAC}/${namespace}/roles/${metadata.name}`, {
    ...{ apiVersion, kind: 'Role', metadata },
    rules: [{ apiGroups: [''], resources: ['secrets'], resourceNames: [name], verbs: ['patch'] }],
  });
  await apply(client, `${RBAC}/${namespace}/rolebindings/${metadata.name}`, {
    ...{ apiVersion, kind: 'RoleBinding', metadata },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: metadata.name },
    subjects: [{ kind: 'ServiceAccount', name: 'slipway-minter', namespace: controllerNamespace }],
  });
}

function apply(client: KubeClient, path: string, body: object): Promise<unknown> {
  return client.request('PATCH', path, {
    ...{ body, contentType: 'application/apply-patch+yaml' },
    query: { fieldManager: 'slipway-controller-cli', force: true },
  });
}
