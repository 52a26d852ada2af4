import type { MachineWithTpm } from '../../support/tpm/software-tpm.ts';
import type { Scene } from '../hostile/scene.ts';
import { attestedIs, nodes, policy, refused, reports } from './governed.ts';

/** Policies that trust whom a maker vouches for: swtpm_localca's root, and the authority below it that signs. */
export async function makers(scene: Scene, one: MachineWithTpm): Promise<void> {
  const { root = '', issuer = '' } = one.makers ?? {};
  const { endorsementKey } = one;
  const trusting = (name: string, authorities: string): Promise<void> =>
    policy(scene, name, { selector: { machine: name }, method: 'tpm', endorsementKeys: { authorities } });
  const machine = async (name: string): Promise<void> => {
    await scene.cluster.createMachine(name, { cluster: 'makers', endorsementKey });
  };
  const gone = (name: string) =>
    scene.cluster.client.request(
      'DELETE',
      `/apis/cluster.x-k8s.io/v1beta2/namespaces/default/machines/${name}`,
    );

  await trusting('whole', `${root}${issuer}`);
  await machine('whole');
  await reports(scene, one, 'whole');
  await attestedIs(scene, 'whole', 'True', 'ProvedByTpm');
  await nodes('release', 'default/whole', scene);
  await gone('whole');
  // Who signed the key's certificate is known by nobody but that authority, which the TPM does not hold.
  await trusting('root-alone', root);
  await machine('root-alone');
  await refused(scene, one, 'root-alone', /EndorsementKeyUntrusted/);
  await attestedIs(scene, 'root-alone', 'False', 'EndorsementKeyUntrusted');
  await gone('root-alone');
  await trusting('another', scene.ca);
  await machine('another');
  await refused(scene, one, 'another', /EndorsementKeyUntrusted/);
  await gone('another');
  scene.say(
    "a TPM is trusted by its maker's root and intermediate, and not by the root alone or another maker's",
  );
}
