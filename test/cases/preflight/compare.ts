import assert from 'node:assert/strict';
import type { Machine } from '../../lab/lab.ts';

/** A way to spoil a machine, and to mend it. */
interface Breakage {
  breaking: string;
  mending: string;
}

const BREAKAGES: Breakage[] = [
  ...[
    '/etc/kubernetes/kubelet.conf',
    '/etc/kubernetes/bootstrap-kubelet.conf',
    '/etc/kubernetes/pki/ca.crt',
    '/etc/kubernetes/manifests/kube-apiserver.yaml',
    '/etc/kubernetes/manifests/etcd.yaml',
    '/var/lib/etcd/member',
  ].map((path) => ({ breaking: `mkdir -p $(dirname ${path}); touch ${path}`, mending: `rm ${path}` })),
  ...['net.ipv4.ip_forward', 'net.bridge.bridge-nf-call-iptables'].map((key) => ({
    breaking: `sysctl -qw ${key}=0`,
    mending: `sysctl -qw ${key}=1`,
  })),
  ...[6443, 2379, 10_250, 10_257].map((port) => ({
    breaking: `systemd-run -q --unit squatter perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1:${port}", ReuseAddr => 1) or die; sleep 600'; sleep 0.5`,
    mending: 'systemctl stop squatter',
  })),
  ...['conntrack', 'iptables', 'nsenter', 'crictl', 'kubelet'].map((name) => ({
    breaking: `mv $(command -v ${name}) /var/tmp/${name}; command -v ${name} >/var/tmp/again || :`,
    mending: `mv /var/tmp/${name} /usr/bin/${name}`,
  })),
  { breaking: 'systemctl stop containerd', mending: 'systemctl start containerd' },
];

interface Found {
  severity: string;
  message: string;
  kubeadmCheck?: string;
}

/**
 * Breaks a machine in many ways and asks both: whatever Slipway calls fatal under a check of kubeadm's, kubeadm's own
 * preflight must call an error; and on the sound machine neither has anything to refuse.
 *
 * @returns how many fatal findings were compared
 */
export async function compareWithKubeadm(
  machine: Machine,
  verb: 'init' | 'join',
  userData: string,
  config: string,
): Promise<number> {
  const ask = async (): Promise<{ fatal: Found[]; errors: string[] }> => {
    const ours = await machine.exec(['slipway', 'preflight', '--user-data', userData, '--output', 'json']);
    const { findings }: { findings: Found[] } = JSON.parse(ours.stdout);
    const theirs = await machine.exec(['kubeadm', verb, 'phase', 'preflight', '--config', config], {
      timeoutMs: 60_000,
    });
    const errors = [...theirs.stderr.matchAll(/\[ERROR ([^\]]+)\]/g)].map(([, name = '']) =>
      name.toLowerCase(),
    );
    return { fatal: findings.filter(({ severity }) => severity === 'fatal'), errors };
  };
  const sound = await ask();
  assert.deepEqual(sound.fatal, [], 'a sound machine');
  let compared = 0;
  for (const { breaking, mending } of BREAKAGES) {
    await machine.execOk(['sh', '-c', breaking]);
    const { fatal, errors } = await ask();
    await machine.execOk(['sh', '-c', mending]);
    for (const { kubeadmCheck, message } of fatal) {
      if (kubeadmCheck === undefined) continue;
      assert.ok(
        errors.includes(kubeadmCheck.toLowerCase()),
        `${breaking}: "${message}", but kubeadm said ${errors}`,
      );
      compared += 1;
    }
  }
  assert.ok(compared >= 8, `only ${compared} fatal findings in ${BREAKAGES.length} broken machines`);
  return compared;
}
