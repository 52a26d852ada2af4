import assert from 'node:assert/strict';
import { type Machine, openLab } from '../../lab/lab.ts';
import { newCluster } from '../../support/cluster-api/lab-cluster.ts';
import { controlPlaneInit, controlPlaneJoin } from '../../support/cluster-api/user-data.ts';
import { expectTruth, journalOf, outcomeOf } from '../../support/expect-outcome.ts';
import { bootMachine, kubectl, waitForReady } from '../../support/machines.ts';

export const about =
  'a control plane whose join fails late goes on where it stopped, and its etcd member is never added twice';

const FIRST = '10.99.1.10';
const SECOND = '10.99.1.11';

/**
 * The real kubeadm, all of whose calls are counted, and whose first join breaks off: behind the etcd member as an API
 * server that hiccups makes it, or in the middle of adding it, without a word.
 */
const BREAKING = `#!/bin/sh
echo "$*" >> /root/calls
case "$*" in *--help*|*slipway-asks*) exec /usr/bin/kubeadm "$@" ;; esac
if [ "$1" = join ] && [ ! -e /root/broken ]; then
  : > /root/broken
  case $(cat /root/how) in
  late)
    /usr/bin/kubeadm "$@" --skip-phases=control-plane-join/update-status,control-plane-join/mark-control-plane || exit
    echo 'error execution phase control-plane-join/mark-control-plane: error applying control-plane label and taints: Get "https://10.99.1.10:6443/api/v1/nodes/cp2?timeout=10s": dial tcp 10.99.1.10:6443: connect: connection refused' >&2
    exit 1 ;;
  vanished)
    /usr/bin/kubeadm "$@" &
    until [ -e /etc/kubernetes/manifests/etcd.yaml ]; do sleep 0.1; done
    kill -9 $!
    exit 137 ;;
  esac
fi
exec /usr/bin/kubeadm "$@"
`;

export async function run(say: (line: string) => void): Promise<void> {
  const cluster = await newCluster(FIRST);
  const lab = await openLab();
  try {
    const first = await bootMachine(lab, 'cp1', {
      role: 'control-plane',
      ip: FIRST,
      userData: controlPlaneInit(cluster, FIRST),
      mode: 'binary',
    });
    await first.execOk(['slipway', 'bootstrap'], { timeoutMs: 300_000 });
    say('control plane made');
    for (const how of ['late', 'vanished'] as const) {
      const second = await bootMachine(lab, 'cp2', {
        role: 'control-plane',
        ip: SECOND,
        userData: controlPlaneJoin(cluster, SECOND),
        mode: 'binary',
      });
      await second.put('/root/how', `${how}\n`);
      await second.put('/root/breaking-kubeadm', BREAKING, 0o755);
      const done = await second.exec(['slipway', 'bootstrap'], {
        timeoutMs: 400_000,
        env: { SLIPWAY_KUBEADM: '/root/breaking-kubeadm' },
      });
      assert.equal(
        done.code,
        0,
        `${how}: ${JSON.stringify((await outcomeOf(second)).failure)}\n${done.stderr}`,
      );
      await expectTruth(second, [cluster.token]);
      await expectResumed(second);
      await waitForReady(first, ['cp1', 'cp2']);
      assert.match(
        await kubectl(first, 'get', 'node', 'cp2'),
        /control-plane/,
        'it is marked as a control plane',
      );
      assert.deepEqual(await members(first), ['cp1', 'cp2'], 'each is a member of etcd once');
      say(
        `joined after a join that ${how === 'late' ? 'failed in its last phase' : 'vanished while it added the member'}`,
      );
      if (how === 'late') await leave(first, second);
    }
  } finally {
    await lab.close();
  }
}

/** One join begun, one gone on with, no reset in between. */
async function expectResumed(machine: Machine): Promise<void> {
  const calls = (await machine.read('/root/calls')).trim().split('\n');
  const joins = calls.filter((call) => /^join /.test(call) && !/--help|slipway-asks/.test(call));
  assert.equal(joins.length, 2, calls.join('\n'));
  assert.match(joins[1] ?? '', /--skip-phases=preflight,.*kubelet-start.*control-plane-join\/etcd/);
  assert.ok(!calls.some((call) => call.startsWith('reset')), 'nothing was reset');
  const told = (await journalOf(machine)).flatMap((record) =>
    record.type === 'step.progress' ? [record.message] : [],
  );
  assert.ok(
    told.some((message) => message.startsWith('going on with kubeadm join')),
    told.join('\n'),
  );
}

async function members(machine: Machine): Promise<string[]> {
  const pki = '/etc/kubernetes/pki/etcd';
  const list = await machine.execOk(
    [
      ...['etcdctl', '--endpoints=https://127.0.0.1:2379', `--cacert=${pki}/ca.crt`],
      ...[`--cert=${pki}/healthcheck-client.crt`, `--key=${pki}/healthcheck-client.key`],
      ...['member', 'list', '--write-out=json'],
    ],
    { env: { ETCDCTL_API: '3' } },
  );
  const { members: found } = JSON.parse(list) as { members: { name?: string }[] };
  return found.map(({ name }) => name ?? 'unstarted').sort();
}

/** The second machine is taken out of the cluster in order, and away. */
async function leave(first: Machine, second: Machine): Promise<void> {
  await second.execOk(['/usr/bin/kubeadm', 'reset', '--force'], { timeoutMs: 180_000 });
  await second.down();
  await kubectl(first, 'delete', 'node', 'cp2');
  assert.deepEqual(await members(first), ['cp1']);
}
