import { strict as assert } from 'node:assert';
import { unitFile } from '../../../build/project.ts';
import { kubernetesRelease } from '../../lab/kubernetes/kubernetes.ts';
import { type ControlPlane, type Machine, openLab } from '../../lab/lab.ts';
import type { Running } from '../../lab/process/command.ts';
import { joinableCluster } from '../../support/cluster-api/lab-cluster.ts';
import { workerJoin } from '../../support/cluster-api/user-data.ts';
import { type ControllerProcess, startController } from '../../support/controller/controller-process.ts';
import { ENDPOINT, machineWithTpm, startLabController } from '../../support/controller/lab-controller.ts';
import { waitForOutcome } from '../../support/expect-outcome.ts';
import { SEED } from '../../support/machines.ts';
import { expectVerdict } from '../verdict.ts';

const POLICY = {
  apiVersion: 'slipway.dev/v1alpha1',
  kind: 'NodeIdentityPolicy',
  metadata: { name: 'proved', namespace: 'default' },
  spec: { method: 'tpm', kubeletKeys: 'Proved' },
};
const KUBECONFIG = '/etc/kubernetes/kubelet.conf';

/** A real kubelet has no certificate but by `slipway credential`, and nobody else approves. @param tools the layer with swtpm */
export async function realKubelet(tools: string, say: (line: string) => void): Promise<void> {
  const lab = await openLab();
  let controller: ControllerProcess | undefined;
  let approver: Running | undefined;
  let machine: Machine | undefined;
  let log = '';
  try {
    const control = await lab.controlPlane();
    for (const name of ['bootstrap', 'certificate-rotation'])
      await control.kubectl(['delete', 'clusterrolebinding', `kubeadm:node-autoapprove-${name}`]);
    controller = await startLabController(control);
    await control.kubectl(['apply', '--filename=-'], { input: JSON.stringify(POLICY) });
    const access = `--kubeconfig=${control.adminKubeconfig}`;
    const words = [
      'approve',
      access,
      '--cluster=default/lab',
      `--cluster-kubeconfig=${control.adminKubeconfig}`,
    ];
    approver = startController(words, (all) => control.onSwitch(all));
    approver.stderr?.on('data', (text: Buffer) => (log += text.toString()));
    machine = await machineWithTpm(lab, control, 'w1', { role: 'worker', tools });
    await join(machine, control);
    await equipped(machine, control);
    say('a real kubelet joins with the key that its machine has proved, and nobody else approves');
    await called(machine);
    say('kubectl of its version is answered as it asks, and nobody else may call');
  } catch (error) {
    say(`the controller's last words:\n${controller?.lines.slice(-8).join('\n')}`);
    say(`the approver's:\n${log.split('\n').slice(-8).join('\n')}`);
    say(
      `the machine's:\n${await machine?.logs('slipway.service')}\n${await machine?.logs('kubelet.service')}`,
    );
    throw error;
  } finally {
    approver?.kill('SIGKILL');
    await approver;
    await controller?.end('SIGKILL');
    await lab.close();
  }
}

async function join(machine: Machine, control: ControlPlane): Promise<void> {
  const secret = ['--namespace=slipway-system', 'get', 'secret', 'slipway-controller-ca', '--output=json'];
  const { data } = JSON.parse(await control.kubectl(secret));
  const ca = Buffer.from(data['tls.crt'], 'base64').toString();
  const settings = { report: { controller: { endpoints: [ENDPOINT], ca, tpm: true, kubelet: true } } };
  await machine.put('/etc/slipway/config.yaml', JSON.stringify(settings), 0o600);
  await machine.put(`${SEED}/user-data`, workerJoin(await joinableCluster(control)), 0o600);
  await machine.put('/etc/systemd/system/slipway.service', unitFile('slipway.service'));
  await machine.execOk(['systemctl', 'enable', '--now', '--no-block', 'slipway.service']);
  await waitForOutcome(machine);
  await expectVerdict(machine, { result: 'succeeded', mode: 'bootstrap' }, []);
}

/** The kubeconfig is of its kubelet's time, and there is no key but the proved one. */
async function equipped(machine: Machine, control: ControlPlane): Promise<void> {
  const { minor } = await kubernetesRelease();
  const { users } = JSON.parse(await machine.execOk(['cat', KUBECONFIG]));
  assert.equal(
    users[0].user.exec.apiVersion,
    `client.authentication.k8s.io/${minor >= 22 ? 'v1' : 'v1beta1'}`,
  );
  assert.equal(await machine.exists('/var/lib/kubelet/pki/kubelet-client-current.pem'), false);
  const modes = await machine.execOk([
    'stat',
    '-c',
    '%a',
    '/var/lib/slipway/credential',
    '/var/lib/slipway/credential/kubelet.json',
  ]);
  assert.equal(modes, '700\n600\n');
  assert.equal(await machine.exists('/var/lib/slipway/credential/bootstrap.json'), false);
  await control.kubectl(['wait', '--for=condition=Ready', 'node/w1', '--timeout=240s']);
  const { items } = JSON.parse(await control.kubectl(['get', 'csr', '--output=json']));
  const states = items.map(
    ({
      spec,
      status,
    }: {
      spec: { signerName: string; username: string };
      status: { conditions: { reason: string }[] };
    }) => [spec.signerName, spec.username.replace(/bootstrap:.*/, 'bootstrap'), status.conditions[0]?.reason],
  );
  assert.deepEqual(states, [
    ['kubernetes.io/kube-apiserver-client-kubelet', 'system:bootstrap', 'SlipwayApproved'],
  ]);
}

async function called(machine: Machine): Promise<void> {
  const who = await machine.execOk([
    'kubectl',
    '--kubeconfig',
    KUBECONFIG,
    'get',
    'node',
    'w1',
    '-o',
    'name',
  ]);
  assert.equal(who, 'node/w1\n');
  const other = await machine.exec(['kubectl', '--kubeconfig', KUBECONFIG, 'get', 'secrets', '-A']);
  assert.match(other.stderr, /User "system:node:w1" cannot/);
  for (const version of ['v1', 'v1beta1']) {
    const info = `{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/${version}","spec":{}}`;
    const said = JSON.parse(
      await machine.execOk(['env', `KUBERNETES_EXEC_INFO=${info}`, 'slipway', 'credential', '--node=w1']),
    );
    assert.equal(said.apiVersion, `client.authentication.k8s.io/${version}`);
    assert.match(said.status.clientCertificateData, /BEGIN CERTIFICATE/);
    assert.ok(Date.parse(said.status.expirationTimestamp) > Date.now());
  }
  const byHand = await machine.exec(['slipway', 'credential', '--node=w1']);
  assert.equal(byHand.code, 2);
  assert.match(byHand.stderr, /KUBERNETES_EXEC_INFO names no version/);
}
