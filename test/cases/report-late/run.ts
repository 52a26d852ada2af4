import assert from 'node:assert/strict';
import { mintMachineToken, NEVER } from '../../../src/controller/attest/machine-token.ts';
import { clusterAuthorities } from '../../../src/controller/webhook/cluster-authorities.ts';
import { insertFiles } from '../../../src/controller/webhook/insert/insert-files.ts';
import { reportFiles } from '../../../src/controller/webhook/report-files.ts';
import type { ControlPlane, Lab } from '../../lab/lab.ts';
import { openLab } from '../../lab/lab.ts';
import { joinableCluster } from '../../support/cluster-api/lab-cluster.ts';
import { workerJoin } from '../../support/cluster-api/user-data.ts';
import type { ControllerProcess } from '../../support/controller/controller-process.ts';
import { ENDPOINT, startLabController } from '../../support/controller/lab-controller.ts';
import { eventually } from '../../support/eventually.ts';
import { waitForOutcome } from '../../support/expect-outcome.ts';
import { bootMachine } from '../../support/machines.ts';

export const about =
  'the controller is away while a real machine boots: it reports when the controller is back, by its token and the certificate of its Node';

const NAME = 'w1';
const MACHINE = 'machines.v1beta2.cluster.x-k8s.io';

export async function run(say: (line: string) => void): Promise<void> {
  const lab = await openLab();
  let controller: ControllerProcess | undefined;
  try {
    const control = await lab.controlPlane();
    controller = await startLabController(control);
    const userData = await managedUserData(control);
    await controller.end('SIGKILL');
    await late(lab, control, userData);
    say('a worker is a Node; its controller was away all the time, and its reporter goes on trying');
    controller = await startLabController(control);
    const made = await eventually('the machine to enrol', () =>
      read<{ spec: { machine: { by: string } } }>(control, 'nodebootstrap').catch(() => undefined),
    );
    assert.equal(made.spec.machine.by, 'lateToken', JSON.stringify(made.spec));
    await eventually('its Machine to say how it went', async () => {
      const { status = {} } = await read<{ status?: { conditions?: { type: string; status: string }[] } }>(
        control,
        MACHINE,
      );
      return status.conditions?.some(
        (one) => one.type === 'slipway.dev/BootstrapSucceeded' && one.status === 'True',
      );
    });
    say("back again it lets the machine in for reporting, by its token beside its kubelet's certificate");
  } catch (error) {
    say(`the controller's last words:\n${controller?.lines.slice(-12).join('\n')}`);
    throw error;
  } finally {
    await controller?.end('SIGKILL');
    await lab.close();
  }
}

/** What the webhook makes of a worker's bootstrap data, with the keys of this controller. */
async function managedUserData(control: ControlPlane): Promise<string> {
  const machine = {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Machine',
    metadata: { name: NAME, namespace: 'default' },
    spec: {
      clusterName: 'lab',
      bootstrap: { dataSecretName: NAME },
      infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'DemoMachine', name: NAME },
    },
  };
  await control.kubectl(['apply', '--filename=-'], { input: JSON.stringify(machine) });
  const { metadata } = await read<{ metadata: { uid: string } }>(control, MACHINE);
  const secret = async (name: string, key: string): Promise<Buffer> => {
    const text = await control.kubectl([
      '--namespace=slipway-system',
      'get',
      'secret',
      name,
      '--output=json',
    ]);
    return Buffer.from(JSON.parse(text).data[key], 'base64');
  };
  const tokenKey = (await secret('slipway-controller-token-key', 'token.key')).toString();
  const text = Buffer.from(workerJoin(await joinableCluster(control)));
  const token = mintMachineToken(
    { uid: metadata.uid, namespace: 'default', name: NAME, authorities: clusterAuthorities(text) },
    0,
    NEVER,
    Buffer.from(tokenKey, 'base64'),
  );
  const authorities = (await secret('slipway-controller-ca', 'tls.crt')).toString();
  const inserted = insertFiles(text, reportFiles({ endpoints: [ENDPOINT], authorities, token }));
  assert.equal(inserted.kind, 'inserted');
  return inserted.kind === 'inserted' ? inserted.text : '';
}

async function late(lab: Lab, control: ControlPlane, userData: string): Promise<void> {
  const machine = await bootMachine(lab, NAME, { role: 'worker', userData, mode: 'service', report: true });
  assert.equal((await waitForOutcome(machine)).result, 'succeeded');
  // As Cluster API does it when it sees the Node.
  const object = await read<object>(control, MACHINE);
  await control.kubectl(
    [
      'replace',
      `--raw=/apis/cluster.x-k8s.io/v1beta2/namespaces/default/machines/${NAME}/status`,
      '--filename=-',
    ],
    { input: JSON.stringify({ ...object, status: { nodeRef: { name: NAME } } }) },
  );
  assert.equal((await machine.exec(['systemctl', 'is-active', 'slipway-report'])).stdout.trim(), 'active');
}

async function read<T>(control: ControlPlane, kind: string): Promise<T> {
  return JSON.parse(await control.kubectl(['get', kind, NAME, '--output=json'])) as T;
}
