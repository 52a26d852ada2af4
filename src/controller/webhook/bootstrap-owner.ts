import type { KubeClient } from '../kube/client.ts';
import type { KubeObject, ListOf } from '../kube/objects.ts';
import type { MachineVersion } from '../machines/machine.ts';
import { type BootstrapSecret, CLUSTER_LABEL } from './bootstrap-secret.ts';

/** What an object says itself on its bootstrap data, which counts more than what its namespace says. */
const MODE_LABEL = 'slipway.dev/bootstrap-data';
const PAGE = 500;

/** What bootstrap data is for. */
export interface BootstrapOwner {
  readonly kind: 'Machine' | 'MachinePool';
  readonly name: string;
  readonly uid: string;
  /** Name of its Cluster. */
  readonly cluster: string;
  /** The value of its label; undefined without one. */
  readonly mode: string | undefined;
  /** It has its Node, or is being deleted: nothing enrols for it any more. */
  readonly isOver: boolean;
  /** Its TPM is named, and it enrols by that alone. */
  readonly namesTpm: boolean;
}

export interface ConfigRef {
  kind?: string;
  name?: string;
  apiGroup?: string;
  apiVersion?: string;
}

/** Where the objects are, and how long they are waited for. */
export interface Asked {
  readonly client: KubeClient;
  readonly version: MachineVersion;
  readonly namespace: string;
  readonly signal: AbortSignal;
}

export function refersTo(ref: ConfigRef | undefined, config: BootstrapSecret['config']): boolean {
  const { kind, name, apiGroup, apiVersion = '' } = ref ?? {};
  // v1beta1 has an `apiVersion` in place of the group.
  const group = apiGroup ?? apiVersion.split('/')[0];
  return kind === config.kind && name === config.name && group === config.group;
}

export function modeOf({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[MODE_LABEL];
}

/** The only object of the cluster that suits; undefined where several do, because nobody knows which it is. @throws KubeError */
export async function onlyOfCluster<T extends KubeObject>(
  { client, signal }: Asked,
  path: string,
  cluster: string,
  suits: (object: T) => boolean,
): Promise<T | undefined> {
  const found: T[] = [];
  let next: string | undefined;
  do {
    const query = { labelSelector: `${CLUSTER_LABEL}=${cluster}`, limit: PAGE, continue: next };
    const list = await client.request<ListOf<T>>('GET', path, { query, signal });
    found.push(...list.items.filter(suits));
    next = list.metadata.continue || undefined;
  } while (next !== undefined);
  return found.length === 1 ? found[0] : undefined;
}
