import type { KubeClient } from '../kube/client.ts';
import { undefinedOnStatus } from '../kube/kube-error.ts';
import type { KubeObject, ListOf } from '../kube/objects.ts';
import { ENDORSEMENT_KEY, type MachineVersion, machinesPath } from '../machines/machine.ts';
import { type BootstrapSecret, CLUSTER_LABEL } from './bootstrap-secret.ts';

/** A Machine's own word on its bootstrap data, which counts more than its namespace's. */
const MODE_LABEL = 'slipway.dev/bootstrap-data';
const PAGE = 500;
/** For all requests together: the API server waits five seconds for an answer. */
const LONGEST_MS = 3_500;

interface MachineObject extends KubeObject {
  spec?: {
    bootstrap?: { configRef?: { kind?: string; name?: string; apiGroup?: string; apiVersion?: string } };
  };
  status?: { nodeRef?: unknown };
}

/** The Machine that bootstrap data is for. */
export interface BootstrapMachine {
  readonly name: string;
  readonly uid: string;
  /** The value of its label; undefined without one. */
  readonly mode: string | undefined;
  /** It has its Node, or is being deleted: nothing enrols for it any more. */
  readonly isOver: boolean;
  /** Its TPM is named, and it enrols by that alone. */
  readonly namesTpm: boolean;
}

/**
 * Finds the Machine whose bootstrap config the Secret was made of. Most providers give the config its Machine's name, so that is
 * asked first, and the cluster's Machines after that.
 *
 * @throws KubeError
 */
export async function findMachine(
  client: KubeClient,
  version: MachineVersion,
  namespace: string,
  { cluster, config }: BootstrapSecret,
): Promise<BootstrapMachine | undefined> {
  const path = machinesPath(version, namespace);
  const signal = AbortSignal.timeout(LONGEST_MS);
  const named = await undefinedOnStatus(
    client.request<MachineObject>('GET', `${path}/${config.name}`, { signal }),
    404,
  );
  if (named !== undefined && refersTo(named, config)) return asBootstrapMachine(named);
  const found: MachineObject[] = [];
  let next: string | undefined;
  do {
    const query = { labelSelector: `${CLUSTER_LABEL}=${cluster}`, limit: PAGE, continue: next };
    const list = await client.request<ListOf<MachineObject>>('GET', path, { query, signal });
    found.push(...list.items.filter((machine) => refersTo(machine, config)));
    next = list.metadata.continue || undefined;
  } while (next !== undefined);
  const [only, ...others] = found;
  // Nobody knows which of several it is for.
  return only === undefined || others.length > 0 ? undefined : asBootstrapMachine(only);
}

function refersTo({ spec }: MachineObject, config: BootstrapSecret['config']): boolean {
  const { kind, name, apiGroup, apiVersion = '' } = spec?.bootstrap?.configRef ?? {};
  // v1beta1 has an `apiVersion` in place of the group.
  const group = apiGroup ?? apiVersion.split('/')[0];
  return kind === config.kind && name === config.name && group === config.group;
}

function asBootstrapMachine({ metadata, status }: MachineObject): BootstrapMachine {
  return {
    name: metadata.name,
    uid: metadata.uid ?? '',
    mode: metadata.labels?.[MODE_LABEL],
    isOver: status?.nodeRef !== undefined || metadata.deletionTimestamp !== undefined,
    namesTpm: metadata.annotations?.[ENDORSEMENT_KEY] !== undefined,
  };
}
