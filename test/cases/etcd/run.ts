import assert from 'node:assert/strict';
import { createLinuxHost } from '../../../src/agent/host/linux/host.ts';
import { hexId } from '../../../src/agent/kubeadm/repeat/etcd/decide-membership.ts';
import {
  learnersOf,
  leaveEtcd,
  type Membership,
  removeOrphan,
  resolveMembership,
} from '../../../src/agent/kubeadm/repeat/etcd/membership.ts';
import { withLearner } from '../../../src/agent/kubeadm/repeat/etcd/name-learner.ts';
import { EtcdMembers } from '../../support/kubeadm/etcd-members.ts';

export const about =
  'a half-joined member of a real etcd is removed, awaited or promoted, and no quorum is lost';

const APISERVER = '/etc/kubernetes/manifests/kube-apiserver.yaml';
const ETCD = '/etc/kubernetes/manifests/etcd.yaml';

export async function run(say: (line: string) => void): Promise<void> {
  const etcd = await EtcdMembers.create();
  const host = createLinuxHost({ root: etcd.root });
  const spec = (patienceMs: number) => ({
    signal: new AbortController().signal,
    onProgress: (message: string) => say(`  ${message}`),
    patienceMs,
  });
  const settle = (patienceMs = 0): Promise<Membership> => resolveMembership(host, spec(patienceMs));
  const manifest = () => etcd.put(ETCD, `    - --initial-cluster=cp1=${etcd.peer(1)},cp2=${etcd.peer(2)}\n`);
  try {
    etcd.start(1, [1]);
    await etcd.healthy();
    assert.deepEqual(await settle(), { state: 'absent', removed: false }, 'nothing was made here yet');

    etcd.put(
      APISERVER,
      `    kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint: ${new URL(etcd.peer(2)).hostname}:6443\n`,
    );
    const blind = await settle();
    assert.equal(
      blind.state === 'blocked' && blind.failure.code,
      'EtcdUnhealthy',
      'nobody says where etcd is',
    );

    manifest();
    assert.deepEqual(await settle(), { state: 'absent', removed: false });
    await etcd.add(2, true);
    assert.deepEqual(etcd.list(), ['1', '2 learner']);
    assert.deepEqual(await settle(), { state: 'absent', removed: true });
    assert.deepEqual(etcd.list(), ['1']);
    say('a learner that never started is removed');

    assert.equal(await removeOrphan(host, {}), undefined, 'nothing of this machine is in the list');
    await etcd.add(3, true);
    assert.equal(await removeOrphan(host, {}), undefined, "another machine's learner stays");
    const told = await withLearner(host, {
      code: 'EtcdLearnerNotReady',
      cause: 'etcdserver: too many learner members in cluster',
      remedy: 'Wait.',
    });
    assert.ok(told.cause.includes(`${etcd.peer(3)}, which has never started`), told.cause);
    const [{ id = '' } = {}] = await learnersOf(host);
    assert.ok(told.remedy.includes(`etcdctl member remove ${hexId(id)}`), told.remedy);
    assert.deepEqual(await removeOrphan(host, { memberId: id }), { id: hexId(id), removed: true });
    await etcd.add(2, true);
    assert.equal((await removeOrphan(host, {}))?.removed, true);
    assert.deepEqual(etcd.list(), ['1']);
    say("a reset removes the learner that is provably this machine's, and names another's");

    await etcd.add(2, true);
    const beside = { ...spec(0), onProgress: () => removeUnnamed(etcd) };
    assert.deepEqual(await resolveMembership(host, beside), { state: 'absent', removed: true });
    assert.deepEqual(etcd.list(), ['1']);
    say('and KubeadmControlPlane may remove it at the same moment');

    await etcd.add(2, true);
    etcd.start(2, [1, 2]);
    assert.deepEqual(await settle(150_000), { state: 'member' });
    assert.deepEqual(etcd.list(), ['1', '2']);
    removeUnnamed(etcd);
    assert.deepEqual(etcd.list(), ['1', '2'], 'one that has started is none of these');
    say('a learner that runs is promoted');

    await etcd.led([1, 2]);
    assert.deepEqual(await leaveEtcd(host, spec(0)), { state: 'absent', removed: true });
    assert.deepEqual(etcd.list(), ['1']);
    await etcd.stop(2);
    say('a voter leaves a cluster that can do without it');

    await etcd.add(2, false);
    const stuck = await settle(3_000);
    assert.equal(stuck.state === 'blocked' && stuck.failure.code, 'EtcdQuorumAtRisk', JSON.stringify(stuck));
    say(
      `a cluster of one that waits for its second member is left alone: ${stuck.state === 'blocked' && stuck.failure.cause}`,
    );
    etcd.start(2, [1, 2]);
    assert.deepEqual(await settle(150_000), { state: 'member' });
    assert.deepEqual(etcd.list(), ['1', '2']);
    say('and goes on as soon as it has started');

    await etcd.add(3, false);
    etcd.start(3, [1, 2, 3]);
    await etcd.healthy(3);
    await etcd.stop(2);
    await etcd.led([1, 3]);
    assert.deepEqual(await settle(), { state: 'absent', removed: true });
    assert.deepEqual(etcd.list(), ['1', '3']);
    say('a voter that is gone is removed by the two that are left');
  } finally {
    await etcd.close();
  }
}

/**
 * What KubeadmControlPlane 1.14 does (reconcileEtcdMembers): it removes members that have no name yet, two minutes after their Machine has
 * its Node.
 */
function removeUnnamed(etcd: EtcdMembers): void {
  const { members = [] } = etcd.ask('/v3/cluster/member/list') as {
    members?: { ID: string; name?: string }[];
  };
  for (const { ID, name = '' } of members) if (name === '') etcd.ask('/v3/cluster/member/remove', { ID });
}
