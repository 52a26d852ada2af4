import { ExpectedError } from '../../kit/errors.ts';
import type { KubeClient } from '../kube/client.ts';
import { isStatus } from '../kube/kube-error.ts';
import type { MachineVersion } from '../machines/machine.ts';
import type { BootstrapOwner } from './bootstrap-owner.ts';
import type { BootstrapSecret } from './bootstrap-secret.ts';
import { findMachine } from './find-machine.ts';
import { findPool } from './find-pool.ts';

/** For all requests together: the API server waits five seconds for an answer. */
const LONGEST_MS = 3_500;

/**
 * The Machine or MachinePool whose bootstrap config the Secret was made of. Both are asked: where a Machine and a MachinePool name one
 * config, somebody is fooling us, and neither gets a token.
 *
 * @throws KubeError, ExpectedError
 */
export async function findOwner(
  client: KubeClient,
  version: MachineVersion,
  namespace: string,
  secret: BootstrapSecret,
): Promise<BootstrapOwner | undefined> {
  const about = { client, version, namespace, signal: AbortSignal.timeout(LONGEST_MS) };
  const [machine, pool] = await Promise.allSettled([findMachine(about, secret), findPool(about, secret)]);
  if (machine.status === 'rejected') throw machine.reason;
  if (pool.status === 'rejected') {
    // Without pools, or with the rights of an earlier release, Machines are served as before.
    if (isStatus(pool.reason, 404)) return machine.value;
    if (isStatus(pool.reason, 403) && machine.value) return machine.value;
    throw isStatus(pool.reason, 403) ? withoutRights(pool.reason) : pool.reason;
  }
  if (machine.value && pool.value)
    throw new ExpectedError(
      `Machine ${machine.value.name} and MachinePool ${pool.value.name} both name ${secret.config.kind} ${secret.config.name}`,
    );
  return machine.value ?? pool.value;
}

function withoutRights({ message }: Error): ExpectedError {
  return new ExpectedError(`${message}; apply manifests/webhook/rights.yaml anew`);
}
