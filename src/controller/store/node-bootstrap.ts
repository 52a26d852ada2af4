import type { KubeObject } from '../kube/objects.ts';
import type { MachineTie, NodeRecord, NodeSpec, StoredEvent } from '../model/node-record.ts';
import { newSummary, type Summary } from '../model/summary.ts';

const GROUP = 'slipway.dev';
export const API_VERSION = `${GROUP}/v1alpha1`;
export const FIELD_MANAGER = 'slipway-controller';

/** The custom resource (manifests/crd). */
export interface NodeBootstrap extends KubeObject {
  spec: NodeSpec;
  status?: NodeBootstrapStatus;
}

export interface NodeBootstrapStatus extends Summary {
  epoch: number;
  seq: number;
  storedAt: string;
  writes: number;
  /** One sentence for people; a printer column. */
  message: string;
  /** The current step and the number of steps; a printer column. */
  position?: string;
  /** How many of the oldest events were removed to keep the object below etcd's limit. */
  eventsTrimmed?: number;
  eventLog: StoredEvent[];
}

export function collectionPath(namespace?: string): string {
  const within = namespace === undefined ? '' : `/namespaces/${namespace}`;
  return `/apis/${API_VERSION}${within}/nodebootstraps`;
}

export function objectPath(namespace: string, name: string): string {
  return `${collectionPath(namespace)}/${name}`;
}

/** All of it except the events. */
export function recordOf({ metadata, spec, status }: NodeBootstrap): NodeRecord {
  const common = {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    spec: spec.machine ? { ...spec, machine: afterMove(spec.machine, metadata) } : spec,
    ...(metadata.resourceVersion === undefined ? {} : { version: metadata.resourceVersion }),
  };
  if (!status) {
    const storedAt = Date.parse(metadata.creationTimestamp ?? '') || Date.now();
    return { ...common, epoch: 0, seq: 0, summary: newSummary(), storedAt, writes: 0 };
  }
  const { epoch, seq, storedAt, writes, ...rest } = status;
  const { message: _, position: __, eventsTrimmed: ___, eventLog: ____, ...summary } = rest;
  return { ...common, epoch, seq, summary, storedAt: Date.parse(storedAt), writes };
}

/**
 * `clusterctl move` makes Machines anew, with other UIDs, and renews the owner references of what it takes along. No machine
 * can do that, so the owner says which Machine it is.
 */
function afterMove(tie: MachineTie, { ownerReferences = [] }: KubeObject['metadata']): MachineTie {
  const owner = ownerReferences.find(
    ({ apiVersion, kind, name }) =>
      kind === 'Machine' && name === tie.name && apiVersion.startsWith('cluster.x-k8s.io/'),
  );
  return owner && owner.uid !== tie.uid ? { ...tie, uid: owner.uid } : tie;
}
