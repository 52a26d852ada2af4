import type { KubeObject, ListOf } from '../../../../src/controller/kube/objects.ts';
import type { Scene } from '../../hostile/scene.ts';

/** Of the Events on a Machine. */
export async function reasons({ cluster }: Scene, name: string, namespace = 'default'): Promise<string[]> {
  const { items } = await cluster.client.request<
    ListOf<KubeObject & { reason: string; involvedObject: { name: string } }>
  >('GET', `/api/v1/namespaces/${namespace}/events`);
  return items.filter(({ involvedObject }) => involvedObject.name === name).map(({ reason }) => reason);
}
