/**
 * What to do about this machine's etcd member before its control plane is joined once more. A pure function.
 *
 * One rule stands above all others: never cost the cluster its quorum. A voter that was added and never started counts
 * like any other. So a cluster of one member that got a second one stands still until the second one starts; cleaning
 * this machine then would end the cluster.
 */
import type { EtcdMember } from './client.ts';

export interface ObservedMember extends EtcdMember {
  /** It runs and knows a leader. */
  healthy: boolean;
}

export interface OwnMember {
  /** e.g. `https://10.0.0.2:2380`. */
  peerUrl: string;
  /** Id of the member, where kubeadm has told it in an attempt before. */
  memberId?: string | undefined;
  /** The static pod of etcd is on this machine, so its member may still start. */
  hasManifest: boolean;
}

type Decision =
  /** The cluster knows nothing of this machine. */
  | { act: 'nothing' }
  /** It votes and is healthy: a join need not add it again. */
  | { act: 'keep'; id: string }
  /** A learner that runs: it votes as soon as it has caught up. */
  | { act: 'promote'; id: string }
  /** It is about to start, and is needed or may be of use. */
  | { act: 'await'; id: string; cause: string }
  | { act: 'remove'; id: string }
  /** `quorum`: removing it would cost the cluster its quorum, or cannot be agreed upon. */
  | { act: 'refuse'; cause: string };

/** How many of `voters` must agree. */
export const quorum = (voters: number): number => Math.floor(voters / 2) + 1;

/**
 * The member that is provably of this machine: by its peer URL, or by the id that its own join was told. A name proves
 * nothing: the machine that was replaced, or the one that replaces this, may bear the same.
 */
export function ownMember(members: readonly ObservedMember[], own: OwnMember): ObservedMember | undefined {
  return (
    members.find(({ peerUrls }) => peerUrls.includes(own.peerUrl)) ??
    members.find(({ id, learner }) => learner && id === own.memberId)
  );
}

/** What a join that failed has left: kubeadm's own reset takes out only a member that has started. */
export const orphan = (members: readonly ObservedMember[], own: OwnMember): ObservedMember | undefined =>
  members.find(
    (member) =>
      (member.peerUrls.includes(own.peerUrl) || member.id === own.memberId) &&
      (member.name === '' || (member.learner && !member.healthy)),
  );

/** As etcdctl writes it. */
export const hexId = (id: string): string => (/^\d{1,20}$/.test(id) ? BigInt(id).toString(16) : id);

/** @param patient There is still time to wait for a member that may come up. */
export function decideMembership(
  members: readonly ObservedMember[],
  own: OwnMember,
  patient: boolean,
): Decision {
  const mine = ownMember(members, own);
  if (mine === undefined) return { act: 'nothing' };
  const { id } = mine;
  if (mine.learner) {
    if (mine.healthy && patient) return { act: 'promote', id };
    if (own.hasManifest && patient)
      return { act: 'await', id, cause: "this machine's new etcd member is starting" };
    return decideRemoval(members, mine);
  }
  if (mine.healthy) return { act: 'keep', id };
  if (own.hasManifest && patient)
    return { act: 'await', id, cause: "this machine's etcd member is not healthy yet" };
  return decideRemoval(members, mine);
}

/** May it be removed? The removal must be agreed upon now, and enough must be healthy to agree on anything afterwards. */
export function decideRemoval(members: readonly ObservedMember[], mine: ObservedMember): Decision {
  const voters = members.filter(({ learner }) => !learner);
  const healthy = voters.filter((member) => member.healthy).length;
  const needed = quorum(voters.length);
  const count = `${healthy} of ${voters.length} voting members are healthy`;
  if (healthy < needed)
    return {
      act: 'refuse',
      cause: `etcd has no quorum to remove this machine's member: ${count}, and ${needed} are needed`,
    };
  if (mine.learner) return { act: 'remove', id: mine.id };
  const left = voters.length - 1;
  const others = healthy - (mine.healthy ? 1 : 0);
  if (left === 0 || others < quorum(left))
    return {
      act: 'refuse',
      cause: `without this machine's member, etcd would lose its quorum: ${count}, ${others} of them on other machines`,
    };
  return { act: 'remove', id: mine.id };
}
