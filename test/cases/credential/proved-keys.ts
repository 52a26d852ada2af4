import { kubernetesCertificate } from '../../../src/controller/keys/keys.ts';
import type { NodeIdentityPolicy } from '../../../src/controller/policy/identity-policy.ts';
import { CONTROLLER } from '../../support/controller/api-server.ts';
import { ControllerProcess } from '../../support/controller/controller-process.ts';
import { eventually } from '../../support/eventually.ts';
import { type MachineWithTpm, machineWithTpm } from '../../support/tpm/software-tpm.ts';
import { BOOTSTRAP_TOKEN, Scene } from '../approve/scene.ts';
import { hostileKeys } from './hostile-keys.ts';
import { type Cluster, KubeletMachine } from './kubelet-machine.ts';
import { pool } from './pool.ts';
import { renewals } from './renewals.ts';

/** How many machines of a pool come at once. */
const POOL = 4;
const POLICIES = '/apis/slipway.dev/v1alpha1/namespaces/default/nodeidentitypolicies';

/** Machines with TPMs, a controller, an approver and an API server, all real but for the kubelets. */
export async function provedKeys(lower: readonly string[], say: (line: string) => void): Promise<void> {
  const tpms = await Promise.all(Array.from({ length: POOL }, () => machineWithTpm(lower)));
  const scene = await Scene.open(say).catch(async (error) => {
    await Promise.all(tpms.map((machine) => machine.end()));
    throw error;
  });
  const { api, client } = scene.cluster;
  let controller: ControllerProcess | undefined;
  try {
    const words = [`--kubeconfig=${api.kubeconfig(CONTROLLER)}`, '--namespace=slipway-system'];
    controller = await ControllerProcess.start(words);
    const ca = await kubernetesCertificate(client, 'slipway-system');
    const cluster: Cluster = { api, port: controller.port, ca, bootstrapToken: BOOTSTRAP_TOKEN };
    for (const name of ['demo', 'pool']) await scene.kubeconfig(name);
    await scene.approve();
    await demand(scene, 'keys', { selector: { cluster: 'demo' } });
    // Which Machine has which TPM is theirs to say; that they are these TPMs is known.
    const trusted = tpms.map(({ endorsementKey }) => endorsementKey);
    await demand(scene, 'pool', {
      selector: { cluster: 'pool' },
      endorsementKeys: { firstUse: true, trusted },
    });
    await pool(scene, cluster, tpms);
    const [one, two] = tpms as unknown as [MachineWithTpm, MachineWithTpm];
    await scene.cluster.createMachine('k1', { endorsementKey: one.endorsementKey });
    await scene.cluster.createMachine('k2', { endorsementKey: two.endorsementKey });
    const machine = await KubeletMachine.of(cluster, 'k1', one);
    await hostileKeys(scene, cluster, [machine, await KubeletMachine.of(cluster, 'k2', two)]);
    await renewals(scene, machine, controller);
  } catch (error) {
    say(`the controller's last words:\n${controller?.lines.slice(-8).join('\n')}`);
    say(`the approver's:\n${scene.log.split('\n').slice(-8).join('\n')}`);
    throw error;
  } finally {
    await controller?.end('SIGKILL');
    await scene.close();
    await Promise.all(tpms.map((machine) => machine.end()));
  }
}

/** A policy by which kubelets' keys have to be proved by TPMs. */
async function demand(
  { cluster }: Scene,
  name: string,
  more: Partial<NodeIdentityPolicy['spec']>,
): Promise<void> {
  await cluster.client.request('POST', POLICIES, {
    body: {
      ...{ apiVersion: 'slipway.dev/v1alpha1', kind: 'NodeIdentityPolicy' },
      ...{
        metadata: { name, namespace: 'default' },
        spec: { method: 'tpm', kubeletKeys: 'Proved', ...more },
      },
    },
  });
  await eventually('the controller to have the policy', async () => {
    const { status } = await cluster.client.request<NodeIdentityPolicy>('GET', `${POLICIES}/${name}`);
    return status?.valid;
  });
}
