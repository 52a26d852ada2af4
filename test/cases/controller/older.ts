import { strict as assert } from 'node:assert';
import { kubernetesCertificate } from '../../../src/controller/serve/keys.ts';
import { CONTROLLER } from '../../support/controller/api-server.ts';
import { ControllerProcess } from '../../support/controller/controller-process.ts';
import { ManagementCluster } from '../../support/controller/management-cluster.ts';
import { bootstrapEvents, SimulatedMachine } from '../../support/controller/simulated-machine.ts';

/** A Cluster API that serves v1beta1 alone: the condition goes where that one has those of the newer kind. */
export async function older(say: (line: string) => void): Promise<void> {
  const cluster = await ManagementCluster.start(say, 'v1beta1');
  let controller: ControllerProcess | undefined;
  try {
    controller = await ControllerProcess.start([
      `--kubeconfig=${cluster.api.kubeconfig(CONTROLLER)}`,
      '--namespace=slipway-system',
    ]);
    const ca = await kubernetesCertificate(cluster.client, 'slipway-system');
    await cluster.createMachine('old', { token: true });
    const machine = new SimulatedMachine({ port: controller.port, ca });
    await machine.enrol(await cluster.machineToken('old'));
    for (const body of bootstrapEvents(40, true)) machine.tell(body);
    await machine.report();
    assert.equal((await cluster.conditionIs('old', 'False')).reason, 'ApiServerUnreachable');
    assert.equal((await cluster.machine('old')).status?.conditions, undefined);
    assert.equal(
      (await cluster.node('old')).metadata.ownerReferences?.[0]?.apiVersion,
      'cluster.x-k8s.io/v1beta1',
    );
    machine.hangUp();
    say('a Cluster API that serves v1beta1 alone: the condition is in status.v1beta2.conditions');
  } finally {
    await controller?.end('SIGKILL');
    await cluster.close();
  }
}
