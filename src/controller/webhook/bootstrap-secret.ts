import type { SecretObject } from './admission-review.ts';

const SECRET_TYPE = 'cluster.x-k8s.io/secret';
export const CLUSTER_LABEL = 'cluster.x-k8s.io/cluster-name';
/** The key that Cluster API's contract gives bootstrap data. */
export const DATA_KEY = 'value';

/** A kind of bootstrap config, as `Kind.group`. */
export type ConfigKind = string;

/** Bootstrap data, and the config that they were made of. */
export interface BootstrapSecret {
  readonly cluster: string;
  /** Kind and name of the config; it lies in the Secret's namespace. */
  readonly config: { readonly kind: string; readonly group: string; readonly name: string };
  readonly value: Buffer;
}

/**
 * Tells bootstrap data from a cluster's other Secrets. A KubeadmConfig may own authorities (`my-cluster-ca`), too, and
 * `my-cluster-kubeconfig` has the same type, label and key, so the name decides: bootstrap data has the name of its config.
 */
export function readBootstrapSecret(
  { metadata, type, data }: SecretObject,
  kinds: readonly ConfigKind[],
): BootstrapSecret | undefined {
  const cluster = metadata.labels?.[CLUSTER_LABEL];
  const value = data?.[DATA_KEY];
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  // Go sends what is nothing as null.
  if (type !== SECRET_TYPE || cluster === undefined || typeof value !== 'string' || owner === undefined)
    return undefined;
  const [group = '', version] = owner.apiVersion.split('/');
  if (version === undefined || !kinds.includes(`${owner.kind}.${group}`)) return undefined;
  if (owner.name !== metadata.name) return undefined;
  return {
    cluster,
    config: { kind: owner.kind, group, name: owner.name },
    value: Buffer.from(value, 'base64'),
  };
}
