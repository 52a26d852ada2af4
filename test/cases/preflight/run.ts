import assert from 'node:assert/strict';
import { SENTINEL } from '../../../src/agent/document/paths.ts';
import type { Outcome } from '../../../src/protocol/outcome.ts';
import { type ControlPlane, type Machine, openLab } from '../../lab/lab.ts';
import { joinableCluster } from '../../support/cluster-api/lab-cluster.ts';
import { metaData, workerJoin } from '../../support/cluster-api/user-data.ts';
import { expectTruth, journalOf } from '../../support/expect-outcome.ts';
import { bootMachine } from '../../support/machines.ts';
import { compareWithKubeadm } from './compare.ts';

export const about =
  'what kubeadm would refuse ends the machine in a second; a Node with the wrong provider ID is no success';

const GOOD_ID = 'lab:///w1';
const OLD_ID = 'lab:///a-machine-that-is-gone';

export async function run(say: (line: string) => void): Promise<void> {
  const lab = await openLab();
  try {
    const controlPlane = await lab.controlPlane();
    const cluster = await joinableCluster(controlPlane);
    const userData = withProviderId(workerJoin(cluster), GOOD_ID);
    const machine = await bootMachine(lab, 'w1', { role: 'control-plane', userData, mode: 'binary' });
    await machine.put('/tmp/meta-data', metaData('w1'));
    await machine.put('/tmp/user-data', userData, 0o600);

    await checkImage(machine);
    say('slipway preflight: passes, and names what is broken');
    await compare(machine, controlPlane, say);
    await mendImage(machine);
    say('slipway preflight --mend: puts forwarding right, for later boots too');
    await refuse(
      machine,
      'touch /etc/kubernetes/kubelet.conf',
      'rm /etc/kubernetes/kubelet.conf',
      'LeftoversFound',
    );
    await refuse(
      machine,
      'sysctl -qw net.ipv4.ip_forward=0',
      'sysctl -qw net.ipv4.ip_forward=1',
      'KernelSettingWrong',
    );
    say('bootstrap ends before kubeadm runs, within two seconds');

    await fromNewerApi(machine, userData);
    await wrongProviderId(machine, controlPlane);
    say('a Node of an earlier machine: NodeProviderIdWrong, and no sentinel');

    await controlPlane.kubectl(['delete', 'node', 'w1']);
    await machine.execOk(['systemctl', 'restart', 'kubelet']);
    const cured = await bootstrap(machine);
    assert.equal(cured.outcome.result, 'succeeded', JSON.stringify(cured.outcome.failure));
    assert.equal(await machine.read(SENTINEL), 'success\n');
    await expectTruth(machine, [cluster.token]);
    const ready = cured.outcome.steps.find(({ id }) => id === 'ready');
    assert.equal(ready?.result, 'done');
    say('the Node deleted and registered anew: success, without a second kubeadm');
  } finally {
    await lab.close();
  }
}

/** kubeadm's own preflight, for a worker and for a new control plane. */
async function compare(
  machine: Machine,
  controlPlane: ControlPlane,
  say: (line: string) => void,
): Promise<void> {
  const head = (kind: string) => `apiVersion: kubeadm.k8s.io/v1beta2\nkind: ${kind}\n`;
  const node = 'nodeRegistration: {criSocket: /run/containerd/containerd.sock}\n';
  const token = await controlPlane.createToken();
  const discovery = `{token: ${token}, apiServerEndpoint: "${controlPlane.endpoint}", unsafeSkipCAVerification: true}`;
  const configs = {
    join: `${head('JoinConfiguration')}${node}discovery:\n  bootstrapToken: ${discovery}\n`,
    init: `${head('InitConfiguration')}${node}---\n${head('ClusterConfiguration')}kubernetesVersion: v1.20.2\n`,
  };
  for (const verb of ['join', 'init'] as const) {
    const path = `/var/tmp/${verb}.yaml`;
    await machine.put(path, configs[verb], 0o600);
    const file = { path, content: configs[verb] };
    const userData = { write_files: [file], runcmd: [`kubeadm ${verb} --config ${path}`] };
    await machine.put('/var/tmp/user-data', `#cloud-config\n${JSON.stringify(userData)}\n`, 0o600);
    const compared = await compareWithKubeadm(machine, verb, '/var/tmp/user-data', path);
    say(`${compared} ways in which a machine cannot ${verb}: kubeadm agrees`);
  }
}

function withProviderId(userData: string, id: string): string {
  const name = /^( *)name: /m;
  assert.match(userData, name);
  return userData.replace(name, `$1kubeletExtraArgs: {provider-id: "${id}"}\n$1name: `);
}

async function checkImage(machine: Machine): Promise<void> {
  const preflight = [
    'slipway',
    'preflight',
    '--user-data',
    '/tmp/user-data',
    '--meta-data',
    '/tmp/meta-data',
  ];
  const good = await machine.exec(preflight);
  assert.equal(good.code, 0, good.stdout + good.stderr);
  await machine.execOk(['systemctl', 'stop', 'containerd']);
  const bad = await machine.exec([...preflight, '--output', 'json']);
  await machine.execOk(['systemctl', 'start', 'containerd']);
  assert.equal(bad.code, 1);
  const { passed, findings } = JSON.parse(bad.stdout);
  assert.equal(passed, false);
  assert.deepEqual(
    findings
      .filter(({ severity }: { severity: string }) => severity === 'fatal')
      .map(({ code }: { code: string }) => code),
    ['ContainerRuntimeDown'],
  );
}

async function bootstrap(
  machine: Machine,
  userData = '/tmp/user-data',
): Promise<{ outcome: Outcome; ms: number }> {
  const started = performance.now();
  await machine.exec(['slipway', 'bootstrap', '--user-data', userData, '--meta-data', '/tmp/meta-data'], {
    timeoutMs: 240_000,
  });
  const ms = performance.now() - started;
  return { outcome: JSON.parse(await machine.read('/run/slipway/outcome.json')), ms };
}

async function refuse(machine: Machine, breaking: string, mending: string, code: string): Promise<void> {
  await machine.execOk(['sh', '-ec', breaking]);
  const { outcome, ms } = await bootstrap(machine);
  await machine.execOk(['sh', '-ec', mending]);
  assert.equal(outcome.failure?.code, code, JSON.stringify(outcome));
  assert.equal(outcome.exitStatus, 1);
  assert.equal(outcome.step, 'preflight');
  assert.equal(outcome.steps.find(({ id }) => id === 'kubeadm')?.result, 'not run');
  const preflight = outcome.steps.find(({ id }) => id === 'preflight');
  assert.ok(
    (preflight?.seconds ?? 9) < 2,
    `the checks took ${preflight?.seconds} s, all of it ${Math.round(ms)} ms`,
  );
  await expectTruth(machine, []);
}

async function mendImage(machine: Machine): Promise<void> {
  await machine.execOk(['sysctl', '-qw', 'net.ipv4.ip_forward=0']);
  const mended = await machine.exec(['slipway', 'preflight', '--mend']);
  assert.equal(mended.code, 0, mended.stdout + mended.stderr);
  assert.match(mended.stdout, /^mended: net.ipv4.ip_forward/m);
  assert.equal((await machine.execOk(['sysctl', '-n', 'net.ipv4.ip_forward'])).trim(), '1');
  assert.equal(await machine.read('/etc/sysctl.d/90-slipway.conf'), 'net.ipv4.ip_forward = 1\n');
}

/** kubeadm 1.20 reads v1beta2; its configuration may be written for a later one. And what is mended is no obstacle. */
async function fromNewerApi(machine: Machine, userData: string): Promise<void> {
  const newer = userData
    .replace('kubeadm.k8s.io/v1beta2', 'kubeadm.k8s.io/v1beta4')
    .replace(
      /kubeletExtraArgs: \{provider-id: (".*")\}/,
      'kubeletExtraArgs: [{name: provider-id, value: $1}]',
    );
  assert.notEqual(newer, userData);
  await machine.put('/tmp/user-data', `${newer}\nslipway:\n  preflight: {mend: true}\n`, 0o600);
  await machine.execOk(['sysctl', '-qw', 'net.ipv4.ip_forward=0']);
}

/** The Node object of an earlier machine of the same name is still in the cluster; its provider ID cannot change. */
async function wrongProviderId(machine: Machine, controlPlane: ControlPlane): Promise<void> {
  const node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'w1', labels: { 'kubernetes.io/hostname': 'w1' } },
    spec: { providerID: OLD_ID },
  };
  await controlPlane.kubectl(['create', '-f', '-'], { input: JSON.stringify(node) });
  const { outcome } = await bootstrap(machine);
  assert.equal(outcome.failure?.code, 'NodeProviderIdWrong', JSON.stringify(outcome));
  assert.match(outcome.failure?.cause ?? '', new RegExp(`${OLD_ID}.*${GOOD_ID}`));
  assert.equal(outcome.exitStatus, 1);
  assert.ok(outcome.findings.some(({ code }) => code === 'KernelSettingMended'));
  assert.notEqual((await machine.exec(['cat', SENTINEL])).code, 0, 'no sentinel');
  const told = (await journalOf(machine)).filter((record) => record.type === 'step.progress');
  assert.ok(told.some(({ message }) => /configuration in v1beta2 instead of v1beta4/.test(message)));
}
