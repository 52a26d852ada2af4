import { MAX_CAPACITY_LIST } from '../../protocol/facts.ts';

/** What the Node offers and how it is marked, as the kubelet has registered it. */
export interface NodeCapacity {
  /** Quantities by resource, such as `cpu` and `nvidia.com/gpu`. */
  readonly resources: Readonly<Record<string, string>>;
  /** `key=value,...`, without those that differ from Node to Node, or that others than the machine give. */
  readonly labels: string;
  /** `key=value:Effect,...`, without those that come and go. */
  readonly taints: string;
}

/** Labels that differ from Node to Node, that Kubernetes gives every Node, or that Cluster API knows from its own objects. */
const OTHERS_LABELS = [
  /^kubernetes\.io\/hostname$/,
  /^beta\.kubernetes\.io\//,
  /^(?:.*\.)?node-role\.kubernetes\.io(?:\/|$)/,
  /^(?:.*\.)?node-restriction\.kubernetes\.io\//,
  /^(?:.*\.)?node\.cluster\.x-k8s\.io\//,
  /^node-role\.kubernetes\.io$/,
  /^feature\.node\.kubernetes\.io\//,
  /^(?:csi|topology)\..*\.csi\./,
];
/** What Kubernetes, its cloud providers, Cluster API and the autoscaler put on a Node for a while. */
const PASSING_TAINTS = [
  /^node\.kubernetes\.io\//,
  /^node\.cloudprovider\.kubernetes\.io\//,
  /^node\.cluster\.x-k8s\.io\//,
  /^(?:ToBeDeletedByClusterAutoscaler|DeletionCandidateOfClusterAutoscaler)$/,
  /^node-role\.kubernetes\.io\//,
];

/** @param node of the API server; anything in it can be anything */
export function capacityOf(node: { metadata?: unknown; spec?: unknown; status?: unknown }): NodeCapacity {
  const labels = Object.entries(textsOf(inner(node.metadata, 'labels')))
    .filter(([key]) => !OTHERS_LABELS.some((pattern) => pattern.test(key)))
    .map(([key, value]) => `${key}=${value}`)
    .filter((label) => !label.includes(','));
  const taints = inner(node.spec, 'taints');
  const marks = (Array.isArray(taints) ? taints : [])
    .map((taint) => textsOf(taint))
    .filter(({ key = '', effect }) => effect !== undefined && key !== '')
    .filter(({ key = '' }) => !PASSING_TAINTS.some((pattern) => pattern.test(key)))
    .map(({ key, value, effect }) => `${key}${value === undefined ? '' : `=${value}`}:${effect}`);
  return {
    resources: textsOf(inner(node.status, 'capacity')),
    labels: bounded(labels),
    taints: bounded(marks),
  };
}

function bounded(entries: readonly string[]): string {
  let list = '';
  for (const entry of [...entries].sort()) {
    const longer = list === '' ? entry : `${list},${entry}`;
    if (longer.length <= MAX_CAPACITY_LIST) list = longer;
  }
  return list;
}

function inner(from: unknown, key: string): unknown {
  return typeof from === 'object' && from !== null ? (from as Record<string, unknown>)[key] : undefined;
}

function textsOf(from: unknown): Record<string, string> {
  if (typeof from !== 'object' || from === null) return {};
  return Object.fromEntries(
    Object.entries(from).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
