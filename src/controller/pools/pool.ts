import type { KubeObject } from '../kube/objects.ts';
import {
  apiVersionOf,
  CONDITION,
  type Condition,
  type MachineVersion,
  machinesPath,
} from '../machines/machine.ts';

/** Tokens of the pool that were made before this time (RFC 3339) count no longer. */
const TOKENS_FROM = 'slipway.dev/tokens-from';

/** The parts of Cluster API's MachinePool that are read. */
export interface PoolObject extends KubeObject {
  spec?: { clusterName?: string; replicas?: number; providerIDList?: string[] };
  status?: {
    replicas?: number;
    nodeRefs?: { name?: string }[];
    conditions?: Condition[];
    /** Where v1beta1 keeps conditions of the newer kind. */
    v1beta2?: { conditions?: Condition[] };
  };
}

/** What the controller remembers of a MachinePool. */
export interface Pool {
  readonly kind: 'MachinePool';
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly apiVersion: string;
  /** Name of its Cluster. */
  readonly cluster: string;
  readonly deleting: boolean;
  /** Those that are wanted or there, whichever is more. */
  readonly replicas: number;
  /** Names of its Nodes, as Cluster API knows them. */
  readonly nodes: ReadonlySet<string>;
  /** Of its instances, as the infrastructure provider says; empty where it says nothing. */
  readonly providerIDs: ReadonlySet<string>;
  /** Milliseconds since 1970; `Infinity` where nobody can read what is there: then no token counts. */
  readonly tokensFrom: number;
  /** Ours, as it is on the pool. */
  readonly condition: Condition | undefined;
}

export function poolsPath(version: MachineVersion, namespace?: string): string {
  return machinesPath(version, namespace, 'machinepools');
}

export function readPool({ metadata, spec = {}, status = {} }: PoolObject, version: MachineVersion): Pool {
  const conditions = version === 'v1beta2' ? status.conditions : status.v1beta2?.conditions;
  const from = metadata.annotations?.[TOKENS_FROM];
  const time = from === undefined ? 0 : Date.parse(from);
  return {
    kind: 'MachinePool',
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    uid: metadata.uid ?? '',
    apiVersion: apiVersionOf(version),
    cluster: spec.clusterName ?? '',
    deleting: metadata.deletionTimestamp !== undefined,
    replicas: Math.max(spec.replicas ?? 0, status.replicas ?? 0),
    nodes: new Set(status.nodeRefs?.flatMap(({ name }) => name ?? [])),
    providerIDs: new Set(spec.providerIDList),
    tokensFrom: Number.isNaN(time) ? Number.POSITIVE_INFINITY : time,
    condition: conditions?.find(({ type }) => type === CONDITION),
  };
}

/** Names it as tokens' selectors and Machines' owners do, with its namespace. */
export function poolKey({ namespace, name }: Pick<Pool, 'namespace' | 'name'>): string {
  return `${namespace}/MachinePool/${name}`;
}
