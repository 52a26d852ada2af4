import { undefinedOnStatus } from '../kube/kube-error.ts';
import type { KubeObject } from '../kube/objects.ts';
import { ENDORSEMENT_KEY, machinesPath } from '../machines/machine.ts';
import {
  type Asked,
  type BootstrapOwner,
  type ConfigRef,
  modeOf,
  onlyOfCluster,
  refersTo,
} from './bootstrap-owner.ts';
import type { BootstrapSecret } from './bootstrap-secret.ts';

interface MachineObject extends KubeObject {
  spec?: { clusterName?: string; bootstrap?: { configRef?: ConfigRef } };
  status?: { nodeRef?: unknown };
}

/**
 * Finds the Machine whose bootstrap config the Secret was made of. Most providers give the config its Machine's name, so that is
 * asked first, and the cluster's Machines after that.
 *
 * @throws KubeError
 */
export async function findMachine(
  asked: Asked,
  { cluster, config }: BootstrapSecret,
): Promise<BootstrapOwner | undefined> {
  const { client, version, namespace, signal } = asked;
  const path = machinesPath(version, namespace);
  const suits = ({ spec }: MachineObject): boolean => refersTo(spec?.bootstrap?.configRef, config);
  const named = await undefinedOnStatus(
    client.request<MachineObject>('GET', `${path}/${config.name}`, { signal }),
    404,
  );
  if (named !== undefined && suits(named)) return asOwner(named);
  const only = await onlyOfCluster<MachineObject>(asked, path, cluster, suits);
  return only && asOwner(only);
}

function asOwner(machine: MachineObject): BootstrapOwner {
  const { metadata, spec, status } = machine;
  return {
    kind: 'Machine',
    name: metadata.name,
    uid: metadata.uid ?? '',
    cluster: spec?.clusterName ?? '',
    mode: modeOf(machine),
    isOver: status?.nodeRef !== undefined || metadata.deletionTimestamp !== undefined,
    namesTpm: metadata.annotations?.[ENDORSEMENT_KEY] !== undefined,
  };
}
