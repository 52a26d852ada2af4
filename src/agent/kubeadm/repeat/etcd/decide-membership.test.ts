import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decideMembership,
  hexId,
  type ObservedMember,
  type OwnMember,
  orphan,
  quorum,
} from './decide-membership.ts';

const url = (n: number): string => `https://10.0.0.${n}:2380`;
const member = (n: number, more: Partial<ObservedMember> = {}): ObservedMember => ({
  id: String(n),
  name: `cp${n}`,
  peerUrls: [url(n)],
  clientUrls: [url(n).replace('2380', '2379')],
  learner: false,
  healthy: true,
  ...more,
});
const own = (more: Partial<OwnMember> = {}): OwnMember => ({ peerUrl: url(3), hasManifest: false, ...more });
const unstarted = { name: '', clientUrls: [], healthy: false };

describe('the etcd member of a control plane that is to be joined once more', () => {
  it('is left alone when the cluster knows nothing of it', () => {
    expect(decideMembership([member(1), member(2)], own(), true)).toEqual({ act: 'nothing' });
    // Another machine of the same name votes: that is not this one's affair.
    expect(decideMembership([member(1), member(2, { name: 'cp3' })], own(), true)).toEqual({
      act: 'nothing',
    });
  });

  it('is kept when it votes and is healthy', () => {
    expect(decideMembership([member(1), member(2), member(3)], own(), true)).toEqual({
      act: 'keep',
      id: '3',
    });
  });

  it('is removed when it was added and never started, as long as the others can agree on it', () => {
    expect(decideMembership([member(1), member(2), member(3, unstarted)], own(), true)).toEqual({
      act: 'remove',
      id: '3',
    });
    expect(decideMembership([member(1), member(3, { ...unstarted, learner: true })], own(), true)).toEqual({
      act: 'remove',
      id: '3',
    });
  });

  it('is never removed from a cluster of one that waits for it', () => {
    const stuck = [member(1, { healthy: false }), member(3, unstarted)];
    expect(decideMembership(stuck, own(), true)).toMatchObject({
      act: 'refuse',
      cause: expect.stringContaining('0 of 2'),
    });
    expect(decideMembership(stuck, own({ hasManifest: true }), true)).toMatchObject({ act: 'await' });
    expect(decideMembership(stuck, own({ hasManifest: true }), false)).toMatchObject({ act: 'refuse' });
  });

  it('is promoted when it runs as a learner, and removed when it never catches up', () => {
    const members = [member(1), member(2), member(3, { learner: true })];
    expect(decideMembership(members, own({ hasManifest: true }), true)).toEqual({ act: 'promote', id: '3' });
    expect(decideMembership(members, own({ hasManifest: true }), false)).toEqual({ act: 'remove', id: '3' });
    // It has another address since: the id that its join was told proves whose it is, the name alone does not.
    const moved = [member(1), member(9, { name: 'cp3', learner: true, healthy: false })];
    expect(decideMembership(moved, own({ memberId: '9' }), true)).toEqual({ act: 'remove', id: '9' });
    expect(decideMembership(moved, own(), true)).toEqual({ act: 'nothing' });
  });

  it('is an orphan for a reset only where it never started or never voted, and is provably its own', () => {
    expect(orphan([member(1), member(3, { ...unstarted, learner: true })], own())?.id).toBe('3');
    expect(orphan([member(1), member(3, { learner: true, healthy: false })], own())?.id).toBe('3');
    expect(orphan([member(1), member(9, { ...unstarted, learner: true })], own({ memberId: '9' }))?.id).toBe(
      '9',
    );
    // One that votes is kubeadm's to take out; that of another machine is nobody's here.
    expect(orphan([member(1), member(3)], own())).toBeUndefined();
    expect(orphan([member(1), member(9, { ...unstarted, learner: true })], own())).toBeUndefined();
    expect(hexId('4264338157093154953')).toBe('3b2df8f5dfae7089');
  });

  it('never costs the quorum, whatever is seen', () => {
    const some = fc.record({ name: fc.boolean(), learner: fc.boolean(), healthy: fc.boolean() });
    fc.assert(
      fc.property(
        fc.array(some, { maxLength: 8 }),
        fc.boolean(),
        fc.boolean(),
        (all, hasManifest, patient) => {
          const members = all.map(({ name, learner, healthy }, i) =>
            member(i + 1, { name: name ? `cp${i + 1}` : '', learner, healthy: name && healthy }),
          );
          const decision = decideMembership(members, own({ hasManifest }), patient);
          const voters = members.filter(({ learner }) => !learner);
          const up = voters.filter(({ healthy }) => healthy).length;
          if (decision.act === 'remove') {
            expect(up).toBeGreaterThanOrEqual(quorum(voters.length));
            const left = voters.filter(({ id }) => id !== decision.id);
            expect(left.filter(({ healthy }) => healthy).length).toBeGreaterThanOrEqual(quorum(left.length));
            expect(members.find(({ id }) => id === decision.id)?.peerUrls).toEqual([url(3)]);
          }
          // Nothing waits for ever.
          if (!patient) expect(['promote', 'await']).not.toContain(decision.act);
        },
      ),
    );
  });
});
