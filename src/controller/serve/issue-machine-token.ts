import { ExpectedError } from '../../kit/errors.ts';
import { mintMachineToken } from '../attest/machine-token.ts';
import { readExisting } from '../keys/key-storage.ts';
import { tokenKeySecret } from '../keys/secret-storage.ts';
import { TokenKeys } from '../keys/token-keys.ts';
import type { KubeClient } from '../kube/client.ts';
import { undefinedOnStatus } from '../kube/kube-error.ts';
import type { KubeObject } from '../kube/objects.ts';
import { findMachineVersion, machinesPath } from '../machines/machine.ts';
import { MachineIdentities } from '../store/machine-identities.ts';

/**
 * A token for one Machine, as the controller makes them for those with the label: for whoever may read its key.
 *
 * @throws ExpectedError if there is no such Machine; KubeError
 */
export async function issueMachineToken(
  client: KubeClient,
  about: { controllerNamespace: string; namespace: string; machine: string; expiresAt: number },
): Promise<string> {
  const { controllerNamespace, namespace, machine, expiresAt } = about;
  const keys = new TokenKeys(await readExisting(tokenKeySecret(client, controllerNamespace)));
  const path = `${machinesPath(await findMachineVersion(client), namespace)}/${machine}`;
  const uid = (await undefinedOnStatus(client.request<KubeObject>('GET', path), 404))?.metadata.uid;
  if (uid === undefined) {
    throw new ExpectedError(
      `there is no Machine ${namespace}/${machine}; a token for it can be made when it is there`,
    );
  }
  const epoch = (await new MachineIdentities(client).of(namespace, uid))?.epoch ?? 0;
  return mintMachineToken({ uid, namespace, name: machine }, epoch, expiresAt, keys.signing);
}
