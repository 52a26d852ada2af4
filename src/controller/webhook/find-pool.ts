import type { KubeObject } from '../kube/objects.ts';
import { poolsPath } from '../pools/pool.ts';
import {
  type Asked,
  type BootstrapOwner,
  type ConfigRef,
  modeOf,
  onlyOfCluster,
  refersTo,
} from './bootstrap-owner.ts';
import type { BootstrapSecret } from './bootstrap-secret.ts';

interface MachinePoolObject extends KubeObject {
  spec?: { template?: { spec?: { bootstrap?: { configRef?: ConfigRef } } } };
}

/** Finds the MachinePool whose bootstrap config the Secret was made of. @throws KubeError */
export async function findPool(
  asked: Asked,
  { cluster, config }: BootstrapSecret,
): Promise<BootstrapOwner | undefined> {
  const path = poolsPath(asked.version, asked.namespace);
  const only = await onlyOfCluster<MachinePoolObject>(asked, path, cluster, ({ spec }) =>
    refersTo(spec?.template?.spec?.bootstrap?.configRef, config),
  );
  if (only === undefined) return undefined;
  const { name, uid = '', deletionTimestamp } = only.metadata;
  // Nobody names the TPMs of machines that have no names.
  const mode = modeOf(only);
  return {
    kind: 'MachinePool',
    name,
    uid,
    cluster,
    mode,
    isOver: deletionTimestamp !== undefined,
    namesTpm: false,
  };
}
