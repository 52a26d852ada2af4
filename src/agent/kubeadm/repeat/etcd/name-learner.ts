/** Which learner stands in the way of another: etcd's refusal does not say. */
import type { Failure } from '../../../../protocol/journal.ts';
import type { Host } from '../../../host/host.ts';
import { hexId } from './decide-membership.ts';
import { learnersOf } from './membership.ts';

/** The failure, with the learner and the command that removes it where this machine may ask etcd. @throws HostError for the disk */
export async function withLearner<T extends Failure>(host: Host, failure: T): Promise<T> {
  const [learner] = await learnersOf(host);
  if (learner === undefined) return failure;
  const { id, name, peerUrls } = learner;
  const at = peerUrls.join(', ');
  const who = name === '' ? 'which has never started' : `of the machine ${name}`;
  return {
    ...failure,
    cause: `The etcd cluster already has a learner and allows one at a time: the member ${hexId(id)} at ${at}, ${who}.`,
    remedy: `Wait for the join of that machine. If the machine at ${at} is gone or has given up its join, run etcdctl member remove ${hexId(id)} on a control plane.`,
  };
}
