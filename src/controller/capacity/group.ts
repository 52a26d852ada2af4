import type { KubeObject } from '../kube/objects.ts';
import type { Condition, MachineVersion } from '../machines/machine.ts';

/** Groups of Machines with this label get the annotations. */
export const CAPACITY_LABEL = 'slipway.dev/capacity';
/** The cluster-autoscaler's (cloudprovider/clusterapi): what a Node of the group will bring. */
export const CAPACITY_PREFIX = 'capacity.cluster-autoscaler.kubernetes.io/';
/** Manages the annotations alone: before Kubernetes 1.22, what one manager applies to the status takes its other fields away. */
export const CAPACITY_MANAGER = 'slipway-controller-capacity';
export const ALIKE_CONDITION = 'slipway.dev/MachinesAlike';

/** Cluster API's kinds that the autoscaler scales, and their resources. */
export const GROUP_KINDS = {
  MachineDeployment: 'machinedeployments',
  MachineSet: 'machinesets',
  MachinePool: 'machinepools',
} as const;
export type GroupKind = keyof typeof GROUP_KINDS;

export interface GroupObject extends KubeObject {
  metadata: KubeObject['metadata'] & { managedFields?: ManagedFields[] };
  status?: { conditions?: Condition[]; v1beta2?: { conditions?: Condition[] } };
}

interface ManagedFields {
  manager?: string;
  operation?: string;
  subresource?: string;
  fieldsV1?: Record<string, unknown>;
}

/** What the controller remembers of one. */
export interface Group {
  readonly kind: GroupKind;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly deleting: boolean;
  /** Its capacity annotations that are ours alone. */
  readonly own: Readonly<Record<string, string>>;
  /** Those that a provider or a person has set. */
  readonly foreign: ReadonlySet<string>;
  readonly condition: Condition | undefined;
}

export function groupsPath(version: MachineVersion, kind: GroupKind, namespace?: string): string {
  const within = namespace === undefined ? '' : `/namespaces/${namespace}`;
  return `/apis/cluster.x-k8s.io/${version}${within}/${GROUP_KINDS[kind]}`;
}

export function readGroup(
  { metadata, status }: GroupObject,
  kind: GroupKind,
  version: MachineVersion,
): Group {
  const conditions = version === 'v1beta2' ? status?.conditions : status?.v1beta2?.conditions;
  const { ours, theirs } = owners(metadata.managedFields ?? []);
  const marks = Object.entries(metadata.annotations ?? {}).filter(([key]) => key.startsWith(CAPACITY_PREFIX));
  const isOwn = (key: string) => ours.has(key) && !theirs.has(key);
  return {
    kind,
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    uid: metadata.uid ?? '',
    deleting: metadata.deletionTimestamp !== undefined,
    own: Object.fromEntries(marks.filter(([key]) => isOwn(key))),
    foreign: new Set(marks.map(([key]) => key).filter((key) => !isOwn(key))),
    condition: conditions?.find(({ type }) => type === ALIKE_CONDITION),
  };
}

/** Annotations by who has set them: the API server keeps that with each object. */
function owners(managed: readonly ManagedFields[]): { ours: Set<string>; theirs: Set<string> } {
  const ours = new Set<string>();
  const theirs = new Set<string>();
  for (const { manager, operation, subresource, fieldsV1 } of managed) {
    const annotations = inner(inner(fieldsV1, 'f:metadata'), 'f:annotations');
    const isOurs = manager === CAPACITY_MANAGER && operation === 'Apply' && !subresource;
    for (const field of Object.keys(annotations ?? {}))
      if (field.startsWith(`f:${CAPACITY_PREFIX}`)) (isOurs ? ours : theirs).add(field.slice(2));
  }
  return { ours, theirs };
}

function inner(from: unknown, key: string): Record<string, unknown> | undefined {
  const value =
    typeof from === 'object' && from !== null ? (from as Record<string, unknown>)[key] : undefined;
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}
