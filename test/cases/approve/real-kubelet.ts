import { strict as assert } from 'node:assert';
import { join } from 'node:path';
import { root } from '../../../build/project.ts';
import { COLLECTION, type SigningRequest } from '../../../src/controller/approve/signing-request.ts';
import type { ListOf } from '../../../src/controller/kube/objects.ts';
import { kubernetesRelease } from '../../lab/kubernetes/kubernetes.ts';
import { hostAllowance } from '../../lab/kubernetes/release.ts';
import { type ControlPlane, type Machine, openLab } from '../../lab/lab.ts';
import { type Running, run } from '../../lab/process/command.ts';
import { joinableCluster } from '../../support/cluster-api/lab-cluster.ts';
import { startController } from '../../support/controller/controller-process.ts';
import { waitUntilEstablished } from '../../support/controller/established.ts';
import { clusterApiCrds } from '../../support/controller/management-cluster.ts';
import { eventually } from '../../support/eventually.ts';

/** A real kubelet joins a cluster where the approver alone approves, and its serving certificate comes to life. */
export async function realKubelet(say: (line: string) => void): Promise<void> {
  const lab = await openLab({ say });
  let approver: Running | undefined;
  try {
    const cp = await lab.controlPlane();
    await install(cp);
    const access = `--kubeconfig=${cp.adminKubeconfig}`;
    const words = ['approve', access, '--cluster=default/lab', `--cluster-kubeconfig=${cp.adminKubeconfig}`];
    let log = '';
    approver = startController(words, (all) => cp.onSwitch(all));
    approver.stderr?.on('data', (text: Buffer) => (log += text.toString()));
    const machine = await lab.up('w1', { role: 'worker' });
    const joining = joined(machine, cp);
    // It is waited for below; what fails before that is told there.
    joining.catch(() => undefined);
    await eventually('the bootstrap of a node without a Machine to wait', async () =>
      /no Machine of Cluster/.test(log),
    );
    assert.equal((await requests(cp)).length, 1);
    await cp.kubectl(['create', '--filename=-'], { input: JSON.stringify(machineOf('w1')) });
    await joining;
    say('a real kubelet waits for its Machine, and joins by the approval of nobody else');

    await eventually('its serving certificate to wait for addresses', async () =>
      /nothing of its addresses yet/.test(log),
    );
    assert.match(await served(cp, machine.ip), /no peer certificate available/);
    const patch = JSON.stringify({ status: { addresses: [{ type: 'InternalIP', address: machine.ip }] } });
    await patchStatus(cp, 'w1', patch);
    await eventually('a served certificate of the cluster', async () => {
      const said = await served(cp, machine.ip);
      return /subject=.*CN ?= ?system:node:w1/.test(said) && /verify return code: 0 \(ok\)/i.test(said);
    });
    const states = (await requests(cp)).map(({ spec, status }) => [
      ...[spec.signerName, spec.username?.replace(/bootstrap:.*/, 'bootstrap')],
      status?.conditions?.[0]?.reason,
    ]);
    assert.deepEqual(states.sort(), [
      ['kubernetes.io/kube-apiserver-client-kubelet', 'system:bootstrap', 'SlipwayApproved'],
      ['kubernetes.io/kubelet-serving', 'system:node:w1', 'SlipwayApproved'],
    ]);
    say('it serves with a certificate that the cluster signed, for the address of its Machine');
  } finally {
    approver?.kill('SIGKILL');
    await approver;
    await lab.close();
  }
}

/** Machines, and nobody else who approves. */
async function install(cp: ControlPlane): Promise<void> {
  const [machines = ''] = clusterApiCrds();
  await cp.kubectl(['apply', '--server-side', '--validate=false', `--filename=${machines}`]);
  for (const name of ['nodebootstraps', 'machineidentities', 'nodeidentitypolicies'])
    await cp.kubectl(['apply', `--filename=${join(root, `manifests/crd/slipway.dev_${name}.yaml`)}`]);
  await waitUntilEstablished((words) => cp.kubectl(words));
  for (const name of ['bootstrap', 'certificate-rotation'])
    await cp.kubectl(['delete', 'clusterrolebinding', `kubeadm:node-autoapprove-${name}`]);
}

function machineOf(name: string): object {
  return {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Machine',
    metadata: { name, namespace: 'default' },
    spec: {
      clusterName: 'lab',
      bootstrap: { dataSecretName: name },
      infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'DemoMachine', name },
    },
  };
}

/** kubectl before 1.24 cannot patch a status. */
async function patchStatus(cp: ControlPlane, name: string, patch: string): Promise<void> {
  const path = `/apis/cluster.x-k8s.io/v1beta2/namespaces/default/machines/${name}`;
  const machine = JSON.parse(await cp.kubectl(['get', '--raw', path]));
  const body = JSON.stringify({ ...machine, ...JSON.parse(patch) });
  await cp.kubectl(['replace', '--raw', `${path}/status`, '--filename=-'], { input: body });
}

async function joined(machine: Machine, cp: ControlPlane): Promise<void> {
  const { endpoint, token, certificates } = await joinableCluster(cp);
  const { minor, configApi } = await kubernetesRelease();
  const { ignorePreflightErrors = [], kubeletExtraArgs = {} } = hostAllowance(minor);
  const args = { ...kubeletExtraArgs, 'rotate-server-certificates': 'true' };
  const config = {
    ...{ apiVersion: `kubeadm.k8s.io/${configApi}`, kind: 'JoinConfiguration' },
    discovery: {
      bootstrapToken: { apiServerEndpoint: endpoint, token, caCertHashes: [certificates.caCertHash] },
    },
    nodeRegistration: {
      ...{ name: 'w1', criSocket: '/run/containerd/containerd.sock', ignorePreflightErrors },
      kubeletExtraArgs:
        configApi === 'v1beta4' ? Object.entries(args).map(([name, value]) => ({ name, value })) : args,
    },
  };
  const script = `cat >/run/join.yaml; exec kubeadm join --config /run/join.yaml`;
  await machine.execOk(['sh', '-c', script], { input: JSON.stringify(config) });
}

async function requests(cp: ControlPlane): Promise<SigningRequest[]> {
  const text = await cp.kubectl(['get', '--raw', COLLECTION]);
  return (JSON.parse(text) as ListOf<SigningRequest>).items;
}

/** What openssl says of the certificate that the kubelet shows. */
async function served(cp: ControlPlane, ip: string): Promise<string> {
  const words = ['openssl', 's_client', '-connect', `${ip}:10250`, '-CAfile', join(cp.pki, 'ca.crt')];
  const [program = '', ...rest] = cp.onSwitch([...words, '-verify_ip', ip]);
  const { stdout, stderr } = await run(program, rest, { input: '', timeoutMs: 600_000 });
  return `${stdout}${stderr}`;
}
