import { strict as assert } from 'node:assert';
import { randomBytes } from 'node:crypto';
import { mintMachineToken } from '../../../src/controller/attest/machine-token.ts';
import { kubernetesCertificate } from '../../../src/controller/keys/keys.ts';
import { Authority } from '../../../src/pki/authority.ts';
import { CONTROLLER } from '../../support/controller/api-server.ts';
import { ControllerProcess } from '../../support/controller/controller-process.ts';
import { ManagementCluster } from '../../support/controller/management-cluster.ts';
import { bootstrapEvents, SimulatedMachine } from '../../support/controller/simulated-machine.ts';
import { pools } from './pools.ts';

/**
 * A Cluster API that serves v1beta1 alone: the condition goes where that one has those of the newer kind. And a controller
 * of before, which kept the key of Machines' tokens beside its authority: what it made counts on.
 */
export async function older(say: (line: string) => void): Promise<void> {
  const cluster = await ManagementCluster.start(say, 'v1beta1');
  let controller: ControllerProcess | undefined;
  try {
    const before = await earlier(cluster);
    controller = await ControllerProcess.start([
      `--kubeconfig=${cluster.api.kubeconfig(CONTROLLER)}`,
      '--namespace=slipway-system',
    ]);
    const ca = await kubernetesCertificate(cluster.client, 'slipway-system');
    assert.equal(ca, before.certificate);
    const { metadata } = await cluster.createMachine('enrols-later');
    const made = mintMachineToken(
      { uid: metadata.uid ?? '', namespace: metadata.namespace ?? '', name: metadata.name },
      0,
      Date.now() + 3_600_000,
      before.tokenKey,
    );
    await new SimulatedMachine({ port: controller.port, ca }).enrolSoon(made);
    say('the authority and the tokens of a controller that kept both in one Secret count on');
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
    await pools(cluster, controller, ca, say);
    say('a Cluster API that serves v1beta1 alone: the condition is in status.v1beta2.conditions');
  } finally {
    await controller?.end('SIGKILL');
    await cluster.close();
  }
}

/** What a controller before 0.2 left. */
async function earlier({ client }: ManagementCluster): Promise<{ certificate: string; tokenKey: Buffer }> {
  const { certificate, privateKey } = Authority.create('Slipway controller');
  const tokenKey = randomBytes(32);
  const stringData = {
    'tls.crt': certificate,
    'tls.key': privateKey,
    'token.key': tokenKey.toString('base64'),
  };
  const metadata = { name: 'slipway-controller-ca', namespace: 'slipway-system' };
  await client.request('POST', '/api/v1/namespaces/slipway-system/secrets', {
    body: { apiVersion: 'v1', kind: 'Secret', metadata, type: 'kubernetes.io/tls', stringData },
  });
  return { certificate, tokenKey };
}
