import assert from 'node:assert/strict';
import { zstdDecompressSync } from 'node:zlib';
import { SENTINEL } from '../../../src/agent/document/paths.ts';
import type { Outcome } from '../../../src/protocol/outcome.ts';
import { type ControlPlane, type Lab, type Machine, openLab } from '../../lab/lab.ts';
import { joinableCluster, newCluster } from '../../support/cluster-api/lab-cluster.ts';
import { type ClusterData, controlPlaneInit, workerJoin } from '../../support/cluster-api/user-data.ts';
import { expectTruth, outcomeOf } from '../../support/expect-outcome.ts';
import { bootMachine } from '../../support/machines.ts';

export const about =
  'around kubeadm: kernel, proxy, containerd, static pods and patches as data; collect; reset, and joining again';

const NAME = 'w1';
const PASSWORD = 'pr0xy-hunter2';
const CONFIG = '/run/kubeadm/kubeadm-join-config.yaml';

/** Nothing listens at the proxy: what the node needs of its cluster must not go through it. */
const NODE = `kernel:
  sysctls: {net.ipv4.ip_local_port_range: 20000 60000}
proxy:
  http: http://user:${PASSWORD}@10.99.0.1:3128
  https: http://user:${PASSWORD}@10.99.0.1:3128
  except: [.corp.example]
containerd:
  cgroupDriver: cgroupfs
  registries:
  - host: docker.io
    server: https://registry-1.docker.io
    mirrors:
    - {url: 'https://mirror.example:5000', skipVerify: true}
kubeadm:
  staticPods:
  - name: beside.yaml
    content: |
      apiVersion: v1
      kind: Pod
      metadata: {name: beside, namespace: kube-system}
      spec:
        hostNetwork: true
        containers: [{name: pause, image: 'k8s.gcr.io/pause:3.2'}]
  patches:
  - {name: kube-apiserver0+merge.yaml, content: '{metadata: {labels: {patched: yes-it-is}}}'}
`;

export async function run(say: (line: string) => void): Promise<void> {
  const lab = await openLab();
  try {
    const controlPlane = await lab.controlPlane();
    const cluster = await joinableCluster(controlPlane);
    const files = [{ path: '/etc/slipway/node.d/10-lab.yaml', content: NODE, permissions: '0600' }];
    const userData = workerJoin(cluster, { files });
    const machine = await bootMachine(lab, NAME, { role: 'worker', userData, mode: 'binary' });

    await expectNothingToReset(machine);
    say('a machine that never was a node has nothing to be reset');

    await bootstrap(machine);
    await expectSettings(machine);
    await expectTruth(machine, [cluster.token, PASSWORD]);
    say('joined with kernel settings, a proxy, containerd settings, a patch and a static pod');

    await expectQuietRepeat(machine);
    say('a second run changes and restarts nothing');

    await machine.execOk(['slipway', 'collect', '-o', '/root/node.tar.zst']);
    await expectCollected(await machine.execOk(['base64', '-w0', '/root/node.tar.zst']), cluster);
    say('collected what support needs, without secrets');

    await expectReset(machine, controlPlane);
    say('reset: no node any more, twice the same');

    await bootstrap(machine);
    say('joined again');

    await expectReset(machine, controlPlane);
    await joinThroughShim(machine);
    say('reset, and joined again by calling kubeadm, with the settings from the files alone');

    await expectReset(machine, controlPlane);
    await expectSupportFile(machine, cluster);
    say('a failure for good leaves an archive for support, and says where');
    await machine.down();

    await expectPatchedInit(lab);
    say('a control plane with a patch, a proxy for its static pods, and a static pod from before kubeadm');
  } finally {
    await lab.close();
  }
}

async function bootstrap(machine: Machine): Promise<Outcome> {
  const { code, stderr } = await machine.exec(['slipway', 'bootstrap', '--verbose'], { timeoutMs: 300_000 });
  assert.equal(code, 0, stderr.slice(-2000));
  return outcomeOf(machine);
}

async function expectNothingToReset(machine: Machine): Promise<void> {
  const refused = await machine.exec(['slipway', 'reset']);
  assert.equal(refused.code, 2, 'nobody can be asked, so it is refused');
  assert.match(refused.stderr, /--yes/);
  const { code, stdout } = await machine.exec(['slipway', 'reset', '--yes', '--output', 'json']);
  assert.equal(code, 0);
  assert.deepEqual(JSON.parse(stdout).kubeadm, 'not needed');
}

async function expectSettings(machine: Machine): Promise<void> {
  const ports = await machine.read('/proc/sys/net/ipv4/ip_local_port_range');
  assert.equal(ports.trim().split(/\s+/).join(' '), '20000 60000');
  const dump = await machine.execOk(['containerd', 'config', 'dump']);
  assert.match(dump, /config_path = "\/etc\/containerd\/certs\.d"/);
  assert.match(dump, /restrict_oom_score_adj = true/, "the image's own setting stays");
  assert.match(await machine.read('/etc/containerd/config.toml'), /SystemdCgroup = false/);
  assert.match(await machine.read('/etc/containerd/certs.d/docker.io/hosts.toml'), /mirror\.example/);
  for (const unit of ['containerd', 'kubelet']) {
    const environment = await machine.read(`/proc/${await mainPid(machine, unit)}/environ`);
    assert.match(environment, /HTTPS_PROXY=http:\/\/user:/, unit);
    assert.match(environment, /NO_PROXY=[^\0]*\.corp\.example/, unit);
    const shown = await machine.execOk(['systemctl', 'show', unit, '-p', 'Environment']);
    assert.ok(!shown.includes(PASSWORD), 'everybody may ask systemd');
  }
  assert.ok(await machine.exists('/etc/kubernetes/patches/kube-apiserver0+merge.yaml'));
  await machine.waitFor(
    async () => (await machine.execOk(['crictl', 'pods', '--state', 'ready'])).includes(`beside-${NAME}`),
    { timeoutMs: 60_000, what: 'the static pod to run' },
  );
}

async function expectQuietRepeat(machine: Machine): Promise<void> {
  const before = await mainPid(machine, 'containerd');
  const { steps } = await bootstrap(machine);
  assert.ok(steps.every(({ result }) => result === 'done'));
  assert.equal(await mainPid(machine, 'containerd'), before);
}

async function mainPid(machine: Machine, unit: string): Promise<string> {
  return (await machine.execOk(['systemctl', 'show', unit, '-p', 'MainPID', '--value'])).trim();
}

async function expectReset(machine: Machine, controlPlane: ControlPlane): Promise<void> {
  const { code, stdout, stderr } = await machine.exec(['slipway', 'reset', '--yes', '--output', 'json']);
  assert.equal(code, 0, stderr);
  const report = JSON.parse(stdout);
  assert.equal(report.kubeadm, 'reset');
  assert.deepEqual(report.problems, []);
  assert.ok(report.remains.some(({ what }: { what: string }) => what.includes('Node object')));
  for (const path of [
    ...['/etc/kubernetes/kubelet.conf', '/etc/kubernetes/pki/ca.crt', '/var/lib/kubelet/config.yaml'],
    ...[SENTINEL, '/etc/kubernetes/manifests/beside.yaml', '/run/slipway/outcome.json'],
  ])
    assert.ok(!(await machine.exists(path)), `${path} is still there`);
  assert.ok(!(await machine.execOk(['crictl', 'pods'])).includes('beside-'), 'its pods are gone');
  assert.match(await machine.execOk(['slipway', 'status']), /^reset: /);
  const again = await machine.exec(['slipway', 'reset', '--yes', '--output', 'json']);
  assert.deepEqual([again.code, JSON.parse(again.stdout).kubeadm], [0, 'not needed']);
  await controlPlane.kubectl(['delete', 'node', NAME]);
}

async function joinThroughShim(machine: Machine): Promise<void> {
  await machine.execOk(['ln', '-s', 'slipway', '/usr/local/bin/kubeadm']);
  // As cloud-init would do before it; Slipway itself had written it to /run.
  assert.ok(await machine.exists(CONFIG));
  const { code, stderr } = await machine.exec(['kubeadm', 'join', '--config', CONFIG], {
    timeoutMs: 300_000,
  });
  assert.equal(code, 0, stderr.slice(-2000));
  const ids = (await outcomeOf(machine)).steps.map(({ id }) => id);
  assert.deepEqual(ids, [
    ...['kernel', 'proxy', 'containerd', 'kubeadm-patches', 'static-pods/before'],
    ...['preflight', 'kubeadm', 'static-pods/after'],
  ]);
  await machine.execOk(['rm', '/usr/local/bin/kubeadm']);
}

async function expectSupportFile(machine: Machine, cluster: ClusterData): Promise<void> {
  const discovery = { caCertHash: `sha256:${'0'.repeat(64)}`, timeout: '5s' };
  await machine.put('/root/bad.yaml', workerJoin(cluster, { discovery }), 0o600);
  const source = ['--user-data', '/root/bad.yaml', '--meta-data', '/var/lib/cloud/seed/nocloud/meta-data'];
  const { code, stderr } = await machine.exec(['slipway', 'bootstrap', ...source]);
  assert.equal(code, 1, stderr);
  const { failure, support = '' } = await outcomeOf(machine);
  assert.equal(failure?.code, 'CaHashMismatch');
  assert.equal(support, '/var/lib/slipway/support.tar.zst');
  assert.match(await machine.execOk(['slipway', 'status']), /support\.tar\.zst/);
  assert.equal((await machine.execOk(['stat', '-c', '%a', support])).trim(), '600');
  await expectCollected(await machine.execOk(['base64', '-w0', support]), cluster);
}

async function expectCollected(base64: string, { token }: ClusterData): Promise<void> {
  const archive = zstdDecompressSync(Buffer.from(base64, 'base64')).toString('latin1');
  for (const name of [
    ...[
      'README.txt',
      'slipway/journal.jsonl',
      'slipway/plan.txt',
      'units/kubelet.log',
      'units/containerd.log',
    ],
    ...[
      'kubernetes/kubeadm-join-config.yaml',
      'containers/images.txt',
      'machine/disks.txt',
      'network/routes.txt',
    ],
  ])
    assert.ok(
      archive.includes(`slipway-${NAME}/${name}\0`),
      `${name} is not in the archive: ${/Not here:[^\0]*/.exec(archive)?.[0]}`,
    );
  for (const secret of [token, token.slice(7), PASSWORD, 'PRIVATE KEY-----\n'])
    assert.ok(!archive.includes(secret), 'a secret is in the archive');
}

/** On a control plane the static pod is there when kubeadm runs: its endpoint might be one. */
async function expectPatchedInit(lab: Lab): Promise<void> {
  const ip = '10.99.0.61';
  const files = [{ path: '/etc/slipway/node.yaml', content: NODE, permissions: '0600' }];
  const userData = controlPlaneInit(await newCluster(ip), ip, { files });
  const machine = await bootMachine(lab, 'cp1', { role: 'control-plane', ip, userData, mode: 'binary' });
  const { steps } = await bootstrap(machine);
  assert.ok(steps.every(({ result }) => result === 'done'));
  const manifest = await machine.read('/etc/kubernetes/manifests/kube-apiserver.yaml');
  assert.match(manifest, /patched: yes-it-is/);
  assert.match(manifest, /name: NO_PROXY\s+value: \S*10\.96\.0\.0\/12\S*10\.99\.0\.61/);
  const { stdout } = await machine.exec(['slipway', 'reset', '--yes', '--output', 'json']);
  const report = JSON.parse(stdout);
  assert.deepEqual([report.kubeadm, report.problems], ['reset', []]);
  for (const path of ['/etc/kubernetes/pki/ca.key', '/etc/kubernetes/admin.conf', '/var/lib/etcd/member'])
    assert.ok(!(await machine.exists(path)), `${path} is still there`);
}
