import assert from 'node:assert/strict';
import type { Outcome } from '../../../src/protocol/outcome.ts';
import { type Machine, openLab } from '../../lab/lab.ts';
import { joinableCluster } from '../../support/cluster-api/lab-cluster.ts';
import { workerJoin } from '../../support/cluster-api/user-data.ts';
import { expectTruth } from '../../support/expect-outcome.ts';
import { bootMachine } from '../../support/machines.ts';

export const about = 'kubeadm waits in vain; the verdict says for what, and comes when that is known';

const META_DATA = '/var/lib/cloud/seed/nocloud/meta-data';
/** From the kubelet's third end, or kubeadm's own, to the verdict. */
const GOAL_SECONDS = 2;

export async function run(say: (line: string) => void): Promise<void> {
  const lab = await openLab();
  try {
    const cluster = await joinableCluster(await lab.controlPlane());
    const machine = await bootMachine(lab, 'w1', {
      role: 'worker',
      userData: workerJoin(cluster),
      mode: 'binary',
    });
    const verdict = async (userData: string, deadline: string): Promise<Outcome> => {
      await machine.put('/tmp/user-data', userData, 0o600);
      const flags = ['--user-data', '/tmp/user-data', '--meta-data', META_DATA, '--deadline', deadline];
      await machine.exec(['slipway', 'bootstrap', ...flags], { timeoutMs: 240_000 });
      await expectTruth(machine, [cluster.token]);
      return JSON.parse(await machine.read('/run/slipway/outcome.json'));
    };
    const good = workerJoin(cluster);

    await machine.put('/etc/default/kubelet', 'KUBELET_EXTRA_ARGS=--no-such-flag\n');
    const flag = await verdict(good, '200s');
    assert.equal(flag.failure?.code, 'KubeletBadFlag', JSON.stringify(flag.failure));
    assert.match(flag.failure?.cause ?? '', /--no-such-flag/);
    assert.equal(flag.exitStatus, 1);
    const late = (await outcomeTime(machine)) - (await lastEnd(machine));
    assert.ok(late < GOAL_SECONDS, `${late.toFixed(2)} s from the kubelet's third end to the verdict`);
    say(`a kubelet with an unknown flag: told ${late.toFixed(2)} s after its third end`);

    await machine.put('/etc/default/kubelet', '');
    await machine.execOk(['systemctl', 'stop', 'containerd']);
    await machine.execOk([
      'sh',
      '-c',
      'cp /etc/containerd/config.toml /tmp; echo "[broken" >>/etc/containerd/config.toml',
    ]);
    await machine.exec(['systemctl', 'start', 'containerd']);
    const runtime = await verdict(good.replaceAll('unix:///run', '/run'), '12s');
    assert.match(runtime.failure?.code ?? '', /^ContainerRuntime/, JSON.stringify(runtime.failure));
    say(`containerd that cannot read its configuration: ${runtime.failure?.code}: ${runtime.failure?.cause}`);
    await machine.execOk([
      'sh',
      '-c',
      'cp /tmp/config.toml /etc/containerd/config.toml; systemctl restart containerd',
    ]);

    const unknown = await verdict(
      workerJoin(cluster, { discovery: { timeout: '3s', token: 'aaaaaa.0123456789abcdef' } }),
      '12s',
    );
    assert.equal(unknown.failure?.code, 'TokenUnknown', JSON.stringify(unknown.failure));
    assert.match(unknown.failure?.cause ?? '', /aaaaaa.*which does know \d+ other/);
    say(`a token that the cluster does not know: ${unknown.failure?.cause}`);

    await machine.execOk([
      'sh',
      '-c',
      'kubeadm join 10.99.0.1:7443 --token aaaaaa.0123456789abcdef >/tmp/log 2>&1 || :',
    ]);
    const told = await machine.exec(['slipway', 'diagnose', '/tmp/log', '--output', 'json']);
    assert.equal(told.code, 0, told.stderr);
    assert.equal(JSON.parse(told.stdout).failure.code, 'KubeadmConfigInvalid', told.stdout);
    say('slipway diagnose reads what kubeadm printed');

    const cured = await verdict(workerJoin(cluster, { discovery: { timeout: '55s' } }), '180s');
    assert.equal(cured.result, 'succeeded', JSON.stringify(cured.failure));
    say('cured');
  } finally {
    await lab.close();
  }
}

const outcomeTime = async (machine: Machine): Promise<number> =>
  Number(await machine.execOk(['stat', '-c', '%.Y', '/run/slipway/outcome.json']));

/** Seconds of the epoch at which the kubelet ended last: systemd starts it again only ten seconds later. */
async function lastEnd(machine: Machine): Promise<number> {
  const journal = await machine.execOk([
    'journalctl',
    '-b',
    '-u',
    'kubelet',
    '-o',
    'short-unix',
    '--no-pager',
  ]);
  const end = journal.split('\n').findLast((line) => line.includes('Main process exited'));
  return Number(end?.split(' ')[0]);
}
