import { createHash } from 'node:crypto';
import { ExpectedError } from '../../kit/errors.ts';
import type { KubeClient } from '../kube/client.ts';
import type { KubeObject } from '../kube/objects.ts';
import type { MachineRole } from '../model/selector.ts';

export const CONDITION = 'slipway.dev/BootstrapSucceeded';
export const ATTESTED = 'slipway.dev/NodeAttested';
/** A Machine with this label (for example from a MachineDeployment's template) gets its own token. */
const TOKEN_LABEL = 'slipway.dev/machine-token';
/** What a namespace, or a Machine, wants of its bootstrap data (docs/bootstrap-data.md). */
export const BOOTSTRAP_DATA = 'slipway.dev/bootstrap-data';
/** Cluster API's, on whatever its controllers shall leave alone. */
export const PAUSED = 'cluster.x-k8s.io/paused';
/** A Machine with this annotation, or its infrastructure object, takes only the machine with this TPM. */
export const ENDORSEMENT_KEY = 'slipway.dev/endorsement-key';
/** Cluster API's labels of a Machine: what it is, and which object of what kind made it. */
const CONTROL_PLANE_LABEL = 'cluster.x-k8s.io/control-plane';
const OWNER_LABELS = {
  MachineDeployment: 'cluster.x-k8s.io/deployment-name',
  MachineSet: 'cluster.x-k8s.io/set-name',
  MachinePool: 'cluster.x-k8s.io/pool-name',
} as const;
const GROUP = 'cluster.x-k8s.io';

/** The supported versions of Cluster API's Machine, preferred first, and where they keep conditions. */
const VERSIONS = ['v1beta2', 'v1beta1'] as const;
export type MachineVersion = (typeof VERSIONS)[number];

export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
  lastTransitionTime?: string;
}

/** The parts of a Machine that we read. */
export interface MachineObject extends KubeObject {
  spec: {
    providerID?: string;
    clusterName?: string;
    readinessGates?: { conditionType?: string }[];
    bootstrap?: { dataSecretName?: string };
    /** v1beta1 has an `apiVersion` in place of the group. */
    infrastructureRef?: { apiGroup?: string; apiVersion?: string; kind?: string; name?: string };
  };
  status?: {
    nodeRef?: { name: string };
    conditions?: Condition[];
    /** Where v1beta1 keeps conditions of the newer kind. */
    v1beta2?: { conditions?: Condition[] };
  };
}

/** The object of an infrastructure provider that a Machine is made of; it lies in the Machine's namespace. */
export interface Infrastructure {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

/** What the controller remembers of each Machine; there may be tens of thousands. */
export interface Machine {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly apiVersion: string;
  /** Name of its Cluster. */
  readonly cluster: string;
  readonly role: MachineRole;
  /** `Kind/name` of what made it, such as `MachineDeployment/workers` and `MachineSet/workers-x7k2p`. */
  readonly owners: readonly string[];
  readonly providerID: string | undefined;
  readonly nodeName: string | undefined;
  readonly deleting: boolean;
  readonly wantsToken: boolean;
  /** Its readiness waits for our condition. */
  readonly isGated: boolean;
  /** What its label says of its bootstrap data. */
  readonly bootstrapData: string | undefined;
  /** Milliseconds since 1970 at which the machine was there and had its bootstrap data; undefined before that. */
  readonly startedAt: number | undefined;
  /** Cluster API, and whoever works beside it, leaves it alone. */
  readonly isPaused: boolean;
  /** Milliseconds since 1970. */
  readonly madeAt: number;
  readonly infrastructure: Infrastructure | undefined;
  /** The TPM that the machine must prove itself by, as the Machine itself says. */
  readonly endorsementKey: string | undefined;
  /** Digest of our condition as it is on the Machine; undefined if it has none. */
  readonly condition: string | undefined;
  /** From our condition: its `lastTransitionTime`, its status, and both status and reason (`conditionText`). */
  readonly since: string | undefined;
  readonly status: Condition['status'] | undefined;
  readonly said: string | undefined;
  /** The condition that tells of its proof: digest, status and since when. */
  readonly attested: OwnCondition | undefined;
}

/** A condition of ours as it is on the Machine. */
interface OwnCondition {
  readonly digest: string;
  readonly status: Condition['status'];
  readonly since: string | undefined;
}

export function machinesPath(
  version: MachineVersion,
  namespace?: string,
  resource: 'machines' | 'machinepools' = 'machines',
): string {
  return `/apis/${GROUP}/${version}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${resource}`;
}

export function clustersPath(version: MachineVersion, namespace?: string): string {
  return `/apis/${GROUP}/${version}${namespace === undefined ? '' : `/namespaces/${namespace}`}/clusters`;
}

export function apiVersionOf(version: MachineVersion): string {
  return `${GROUP}/${version}`;
}

/** @throws KubeError (404 if Cluster API is not installed); Error if it serves no known version */
export async function findMachineVersion(client: KubeClient): Promise<MachineVersion> {
  const group = await client.request<{ versions: { version: string }[] }>('GET', `/apis/${GROUP}`);
  const served = group.versions.map(({ version }) => version);
  const known = VERSIONS.find((version) => served.includes(version));
  if (known) return known;
  throw new ExpectedError(
    `Cluster API serves ${served.join(', ')} only; slipway-controller knows ${VERSIONS.join(' and ')}`,
  );
}

export function readMachine({ metadata, spec, status }: MachineObject, version: MachineVersion): Machine {
  const conditions = version === 'v1beta2' ? status?.conditions : status?.v1beta2?.conditions;
  const own = conditions?.find(({ type }) => type === CONDITION);
  const attested = conditions?.find(({ type }) => type === ATTESTED);
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    uid: metadata.uid ?? '',
    apiVersion: apiVersionOf(version),
    cluster: spec.clusterName ?? '',
    role: metadata.labels?.[CONTROL_PLANE_LABEL] === undefined ? 'worker' : 'control-plane',
    owners: ownersOf(metadata),
    providerID: spec.providerID,
    nodeName: status?.nodeRef?.name,
    deleting: metadata.deletionTimestamp !== undefined,
    endorsementKey: metadata.annotations?.[ENDORSEMENT_KEY],
    infrastructure: infrastructureOf(spec.infrastructureRef),
    madeAt: Date.parse(metadata.creationTimestamp ?? '') || 0,
    wantsToken: metadata.labels?.[TOKEN_LABEL] !== undefined,
    isGated: spec.readinessGates?.some(({ conditionType }) => conditionType === CONDITION) ?? false,
    bootstrapData: metadata.labels?.[BOOTSTRAP_DATA],
    startedAt: startOf(spec, status),
    isPaused: metadata.annotations?.[PAUSED] !== undefined,
    condition: own && conditionDigest(own),
    since: own?.lastTransitionTime,
    status: own?.status,
    said: own && conditionText(own),
    attested: attested && {
      ...{ digest: conditionDigest(attested), status: attested.status, since: attested.lastTransitionTime },
    },
  };
}

/** Both versions have a condition of this name, and the time since when it holds. */
function startOf(spec: MachineObject['spec'], status: MachineObject['status']): number | undefined {
  const ready = status?.conditions?.find(({ type }) => type === 'InfrastructureReady');
  if (spec.bootstrap?.dataSecretName === undefined || ready?.status !== 'True') return undefined;
  return Date.parse(ready.lastTransitionTime ?? '') || undefined;
}

/** Somebody's words, which become part of a path. */
const DNS_NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

function infrastructureOf(ref: MachineObject['spec']['infrastructureRef'] = {}): Infrastructure | undefined {
  const { apiGroup, apiVersion = '', kind = '', name = '' } = ref;
  const group = apiGroup ?? (apiVersion.includes('/') ? apiVersion.split('/')[0] : undefined) ?? '';
  return DNS_NAME.test(group) && DNS_NAME.test(name) && kind !== '' ? { group, kind, name } : undefined;
}

function ownersOf({ ownerReferences = [], labels = {} }: MachineObject['metadata']): string[] {
  const referred = ownerReferences
    .filter(({ controller }) => controller)
    .map(({ kind, name }) => `${kind}/${name}`);
  const labelled = Object.entries(OWNER_LABELS).flatMap(([kind, label]) =>
    labels[label] === undefined ? [] : [`${kind}/${labels[label]}`],
  );
  return [...new Set([...referred, ...labelled])];
}

/** A condition without its words. */
export function conditionText({ status, reason }: Pick<Condition, 'status' | 'reason'>): string {
  return `${status} ${reason}`;
}

/** Conditions with the same digest say the same. */
export function conditionDigest({ status, reason, message }: Omit<Condition, 'type'>): string {
  return createHash('sha256')
    .update(JSON.stringify([status, reason, message]))
    .digest('base64url')
    .slice(0, 16);
}
