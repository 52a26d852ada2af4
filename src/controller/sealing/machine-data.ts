import { ExpectedError } from '../../kit/errors.ts';
import type { KubeClient } from '../kube/client.ts';
import { isStatus } from '../kube/kube-error.ts';
import { findMachineVersion, type MachineObject, machinesPath } from '../machines/machine.ts';

/** The Machine that something is sealed for. */
export interface SealedFor {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly cluster?: string;
  readonly dataSecretName?: string;
}

interface Bootstrapped extends MachineObject {
  spec: MachineObject['spec'] & { bootstrap?: { dataSecretName?: string } };
}

/** @throws ExpectedError, KubeError */
export async function findMachine(client: KubeClient, namespace: string, name: string): Promise<SealedFor> {
  const path = `${machinesPath(await findMachineVersion(client), namespace)}/${name}`;
  const { metadata, spec } = await client.request<Bootstrapped>('GET', path).catch((error: unknown) => {
    if (!isStatus(error, 404)) throw error;
    throw new ExpectedError(
      `there is no Machine ${namespace}/${name}; its user data can be sealed when it is there`,
    );
  });
  const { dataSecretName } = spec.bootstrap ?? {};
  return {
    ...{ namespace, name, uid: metadata.uid ?? '' },
    ...(spec.clusterName === undefined ? {} : { cluster: spec.clusterName }),
    ...(dataSecretName === undefined ? {} : { dataSecretName }),
  };
}

/** What Cluster API's bootstrap provider made for the Machine. @throws ExpectedError, KubeError */
export async function bootstrapDataOf(client: KubeClient, machine: SealedFor): Promise<Buffer> {
  const { namespace, name, dataSecretName } = machine;
  if (dataSecretName === undefined)
    throw new ExpectedError(
      `Machine ${namespace}/${name} names no Secret with bootstrap data yet; wait for its provider, or name a file`,
    );
  const path = `/api/v1/namespaces/${namespace}/secrets/${dataSecretName}`;
  const { data } = await client
    .request<{ data?: Record<string, string> }>('GET', path)
    .catch((error: unknown) => {
      if (!isStatus(error, 404)) throw error;
      throw new ExpectedError(`there is no Secret ${namespace}/${dataSecretName}, which the Machine names`);
    });
  const value = Buffer.from(data?.value ?? '', 'base64');
  if (value.length > 0) return value;
  throw new ExpectedError(`Secret ${namespace}/${dataSecretName} has no key value, or an empty one`);
}

/** As a bootstrap provider would leave it (Cluster API's contract for bootstrap data). @throws KubeError */
export async function putStub(
  client: KubeClient,
  { namespace, cluster }: SealedFor,
  name: string,
  { stub, format }: { stub: string; format: 'cloud-config' | 'ignition' },
): Promise<void> {
  const labels = cluster === undefined ? {} : { labels: { 'cluster.x-k8s.io/cluster-name': cluster } };
  await client.request('PATCH', `/api/v1/namespaces/${namespace}/secrets/${name}`, {
    body: {
      ...{ apiVersion: 'v1', kind: 'Secret', type: 'cluster.x-k8s.io/secret' },
      metadata: { name, namespace, ...labels },
      stringData: { value: stub, format },
    },
    contentType: 'application/apply-patch+yaml',
    query: { fieldManager: 'slipway-controller-cli', force: true },
  });
}
