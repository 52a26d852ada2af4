import type { KubeClient } from '../../../src/controller/kube/client.ts';
import type { KubeObject, ListOf } from '../../../src/controller/kube/objects.ts';
import { apiVersionOf, clustersPath, machinesPath } from '../../../src/controller/machines/machine.ts';
import { collectionPath } from '../../../src/controller/store/node-bootstrap.ts';

const VERSION = 'v1beta2';
const CLUSTER = clustersPath(VERSION, 'default');

/** The collections that it moves, owners first; and the kind of what owns the objects of each. */
const COLLECTIONS = [
  { path: CLUSTER, kind: 'Cluster', apiVersion: apiVersionOf(VERSION) },
  { path: machinesPath(VERSION, 'default'), kind: 'Machine', apiVersion: apiVersionOf(VERSION) },
  { path: collectionPath('default'), kind: 'NodeBootstrap', apiVersion: 'slipway.dev/v1alpha1' },
] as const;

export async function createCluster(client: KubeClient, name: string): Promise<void> {
  await client.request('POST', CLUSTER, {
    body: {
      apiVersion: apiVersionOf(VERSION),
      kind: 'Cluster',
      metadata: { name, namespace: 'default' },
      spec: { controlPlaneEndpoint: { host: '10.0.0.1', port: 6443 } },
    },
  });
}

export async function pause(client: KubeClient, name: string, paused: boolean): Promise<void> {
  await client.request('PATCH', `${CLUSTER}/${name}`, {
    body: { spec: { paused } },
    contentType: 'application/merge-patch+json',
  });
}

/**
 * What `clusterctl move` does to a Cluster: pauses it, makes each object anew in the target (other UIDs, no status, owner references
 * renewed), deletes them in the source, and ends the pause.
 */
export async function moveCluster(from: KubeClient, to: KubeClient, name: string): Promise<void> {
  await pause(from, name, true);
  const uids = new Map<string, string>();
  for (const { path, kind, apiVersion } of COLLECTIONS) {
    const { items } = await from.request<ListOf<KubeObject & { spec: unknown }>>('GET', path);
    for (const { metadata, spec } of items) {
      const { name: called, namespace, uid = '', labels, annotations, ownerReferences = [] } = metadata;
      const made = await to.request<KubeObject>('POST', path, {
        body: {
          ...{ apiVersion, kind, spec },
          metadata: {
            ...{ name: called, namespace, labels, annotations },
            ownerReferences: ownerReferences.map((owner) => ({ ...owner, uid: uids.get(owner.uid) })),
          },
        },
      });
      uids.set(uid, made.metadata.uid ?? '');
    }
  }
  for (const { path } of [...COLLECTIONS].reverse()) {
    const { items } = await from.request<ListOf<KubeObject>>('GET', path);
    for (const { metadata } of items) await from.request('DELETE', `${path}/${metadata.name}`);
  }
  await pause(to, name, false);
}
