import { strict as assert } from 'node:assert';
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { classify } from '../../../src/agent/diagnosis/words/classify.ts';
import { createLinuxHost } from '../../../src/agent/host/linux/host.ts';
import { takeInventory } from '../../../src/agent/kubeadm/repeat/inventory.ts';
import { cleanUpAttempt } from '../../../src/agent/kubeadm/repeat/leftovers.ts';
import { kubeadmVersion } from '../../../src/agent/kubeadm/run/real-kubeadm.ts';
import { kubernetesBinaries } from '../../lab/kubernetes/kubernetes.ts';
import { FakeKubeadm } from '../../support/kubeadm/fake-kubeadm.ts';
import { type CallCase, calls } from './calls.ts';
import { compareChecks, convertAndRead } from './compare-configs.ts';
import { configs } from './configs.ts';

export const about =
  'the real kubeadm: what it says is told with the right code, it reads converted configurations, its reset spares user data';

const KUBEADM = '/usr/bin/kubeadm';

/** kubeadm runs in a root of its own, without a network: nothing of the machine is reached. */
export async function run(say: (line: string) => void): Promise<void> {
  const binaries = await kubernetesBinaries(say);
  const machine = new FakeKubeadm();
  try {
    mkdirSync(join(machine.root.path, 'usr/bin'), { recursive: true });
    copyFileSync(join(binaries, 'kubeadm'), join(machine.root.path, KUBEADM));
    const host = createLinuxHost({ root: machine.root.path });
    const { text, minor } = await kubeadmVersion(host, KUBEADM);
    const wanted = calls(minor);
    for (const call of wanted) checkCall(machine, call);
    say(`kubeadm ${text}: ${wanted.length} failing calls, each with its code`);
    if (minor < 22) {
      // Only a kubeadm that does not read the newer versions itself can tell whether they were converted rightly.
      const newer = configs();
      assert.equal(newer.length, 3);
      for (const config of newer) convertAndRead(machine, config, minor);
      say(`${newer.length} configurations of newer versions, converted and understood`);
      const { refused, agreed } = compareChecks(machine);
      say(`${agreed} spoilt configurations: what is refused here (${refused}), kubeadm refuses too`);
    }
    await checkReset(machine);
    say('reset after a failed control-plane join: the machine is as user data left it');
  } finally {
    machine.root.remove();
  }
}

function checkCall(machine: FakeKubeadm, { args, config, code, cause }: CallCase): void {
  if (config !== undefined) machine.put('/config.yaml', config);
  const [verb = ''] = args;
  const { exitCode, stdout, stderr } = execaSync(
    'unshare',
    ['--net', '--pid', '--fork', 'chroot', machine.root.path, KUBEADM, ...args],
    { reject: false, timeout: 600_000 },
  );
  assert.notEqual(exitCode, 0, `kubeadm ${args.join(' ')} should have failed`);
  const failure = classify({
    verb: verb === 'init' ? 'init' : 'join',
    stdout,
    stderr,
    exitStatus: exitCode,
  });
  assert.equal(failure.code, code, `kubeadm ${args.join(' ')} said:\n${stderr}`);
  assert.match(failure.cause, cause);
  assert.ok(!JSON.stringify(failure).includes('0123456789abcde'), 'a token got through');
}

async function checkReset(machine: FakeKubeadm): Promise<void> {
  machine.put('/etc/kubernetes/pki/ca.crt', 'CA', 0o640);
  machine.put('/etc/kubernetes/pki/ca.key', 'CA KEY', 0o600);
  machine.put('/etc/kubernetes/pki/etcd/ca.key', 'ETCD KEY', 0o600);
  machine.put('/etc/kubernetes/manifests/haproxy.yaml', 'static pod', 0o600);
  machine.put('/var/lib/kubelet/config.json', 'registry credentials', 0o600);
  // A later reset looks there for what has to be unmounted.
  machine.put('/proc/mounts', '');
  const before = machine.state();
  const host = createLinuxHost({ root: machine.root.path });
  const inventory = await takeInventory(host, { instance: 'i-1', document: 'd-1', written: [] });
  for (const path of [
    '/etc/kubernetes/pki/apiserver.crt',
    '/etc/kubernetes/admin.conf',
    '/etc/kubernetes/kubelet.conf',
    '/etc/kubernetes/manifests/etcd.yaml',
    '/var/lib/kubelet/config.yaml',
    '/var/lib/kubelet/pki/kubelet-client-current.pem',
    '/var/lib/etcd/member/wal',
  ]) {
    machine.put(path, 'of kubeadm');
  }
  const report = await cleanUpAttempt(host, inventory, {
    verb: 'join',
    phase: 'control-plane-join/etcd',
    kubeadmPath: KUBEADM,
  });
  assert.deepEqual(report.problems, []);
  assert.equal(report.reset, true);
  assert.deepEqual(machine.state(), before);
  assert.ok(!existsSync(join(machine.root.path, 'run/slipway/no-certificates')));
}
