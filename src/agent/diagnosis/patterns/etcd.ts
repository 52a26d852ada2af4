/** etcd membership in a control-plane join. Texts: cmd/kubeadm/app/util/etcd and etcd's own, 3.4 - 3.6. */
import { type Diagnosis, inError, type Pattern, type PatternInput, shorten } from './pattern.ts';

/** Nothing can be written until somebody has made room, whoever asks. */
export const QUOTA = {
  cause: 'The etcd database has reached its quota (database space exceeded), so nothing can be written.',
  remedy:
    'On a control plane, compact and defragment etcd, raise quota-backend-bytes, then disarm the alarm (etcdctl alarm disarm).',
};

const inEtcd = ({ output }: PatternInput): boolean =>
  /etcd/.test(output.phase ?? '') || /etcd/i.test(output.error);

/** etcd gives both answers to one request; what follows the word "member" tells them apart. */
const VOTES_ALREADY = /can only promote a learner member(?! which)(?=["'\s\])},;]|$)/m;
const NOT_IN_SYNC = /can only promote a learner\b/;
/** The last line on a promotion decides: an answer that was lost comes before the one that is told. */
const PROMOTION = /^.*can only promote a learner\b.*$/gm;

const votesAlready = (): Omit<Diagnosis, 'evidence'> => ({
  code: 'EtcdMemberNotAdded',
  facts: { saysWhy: true },
  cause:
    'This machine is already a voting etcd member: kubeadm requested its promotion again and treated the answer as a failure.',
  remedy:
    'Nothing is wrong with etcd or the network. Use a kubeadm with the fix (kubernetes/kubernetes#130782, backported to 1.30 to 1.33). If a retry does not finish the join, replace this machine, and remove its member if Cluster API does not (etcdctl member list).',
});

const promoted: Pattern = inError(VOTES_ALREADY, votesAlready);

/** kubeadm may end with a bare time-out; the etcd client's own log lines say what was waited for. */
const promotionTimedOut: Pattern = inError(
  /timed out waiting for the condition|context deadline exceeded/,
  (_, { output }) =>
    VOTES_ALREADY.test(output.stderr.match(PROMOTION)?.at(-1) ?? '') ? votesAlready() : notInSync(),
  ({ output }) => /etcd/.test(output.phase ?? '') && NOT_IN_SYNC.test(output.stderr),
);

const notInSync = (): Omit<Diagnosis, 'evidence'> => ({
  code: 'EtcdLearnerNotReady',
  cause: 'The new etcd member did not catch up with the leader in time.',
});

const learner: Pattern = inError(
  /can only promote a learner member|unable to (?:start|promote) [^\n]*learner[^\n]*|[Pp]romoting the learner \S+ failed[^\n]*/,
  notInSync,
);

const tooManyLearners: Pattern = inError(/too many learner members in cluster/, () => ({
  code: 'EtcdLearnerNotReady',
  facts: { saysWhy: true },
  cause: 'The etcd cluster already has a learner and allows one at a time.',
  remedy:
    'Wait for the other machine and try again. If the learner stays, find it with etcdctl member list (IS LEARNER), and remove it with etcdctl member remove ID if the machine at its peer address is gone or has given up its join.',
}));

const ownNotStarted: Pattern = inError(/the etcd member (\w+) is not started/, ([, id]) => ({
  code: 'EtcdMemberNotAdded',
  cause: `The etcd of this machine did not start: kubeadm timed out waiting for its member ${id}.`,
  remedy:
    'Check this machine: journalctl -u kubelet, crictl ps -a and crictl logs of etcd. The other members are fine.',
}));

/** What etcd says of a member that cannot be added, and what helps then. */
const MEMBERSHIP: Record<string, string> = {
  'Peer URLs already exists':
    "An earlier attempt or machine left a member with this machine's address. Find it with etcdctl member list, and remove it with etcdctl member remove ID if it has no name (it never started) or its machine is gone.",
  'unhealthy cluster':
    'Wait until every member is healthy (etcdctl endpoint health --cluster): until then etcd accepts no new member. Remove a member only if its machine will not come back.',
};
MEMBERSHIP['re-configuration failed due to not enough started members'] =
  MEMBERSHIP['unhealthy cluster'] ?? '';

const membership: Pattern = inError(
  /etcdserver: (re-configuration failed due to not enough started members|unhealthy cluster|Peer URLs already exists|member ID already exist|member not found|duplicate [^\n]*)|error (?:adding|creating) (?:etcd )?member[^\n]*|error creating local etcd static pod manifest file: ([^\n]*)/i,
  (match) => {
    const remedy = MEMBERSHIP[match[1] ?? ''];
    return {
      code: 'EtcdMemberNotAdded',
      cause: `This machine could not become an etcd member: ${shorten(match[1] ?? match[2] ?? match[0], 200)}.`,
      ...(match[1] === undefined ? {} : { facts: { saysWhy: true } }),
      ...(remedy === undefined ? {} : { remedy }),
    };
  },
  ({ output }) => output.phase !== 'etcd/local',
);

const quota: Pattern = inError(/mvcc: database space exceeded/, () => ({
  code: 'EtcdUnhealthy',
  facts: { saysWhy: true },
  ...QUOTA,
}));

const dataDirectory: Pattern = inError(
  /failed to create the etcd data directory: "?([^\s":]*)"?: ([^\n]*)/,
  (match) => ({
    code: 'EtcdDataUnusable',
    cause: `The etcd data directory ${match[1]} could not be created: ${shorten(match[2] ?? '', 160)}.`,
    remedy:
      'Check what exists at that path and whether the file system is writable; etcd.local.dataDir sets another path.',
  }),
);

const unhealthy: Pattern = inError(
  /timeout waiting for etcd cluster to be available|etcd cluster is not healthy[^\n]*|(?<=Failed to get etcd status for \S{1,400}: )[^\n]+|error syncing (?:etcd )?endpoints with etcd[^\n]*|could not retrieve the list of etcd endpoints[^\n]*|check-etcd[^\n]*|error execution phase check-etcd[^\n]*|etcd cluster is unavailable or misconfigured[^\n]*|(?:dial tcp \S+:(?:2379|2380))[^\n]*/,
  (match) => ({
    code: 'EtcdUnhealthy',
    cause: `The etcd cluster cannot be used: ${shorten(match[0].replace(/^error execution phase \S+ /, ''), 200)}.`,
  }),
  inEtcd,
);

const pastDeadline: Pattern = inError(
  /timed out waiting for the condition|context deadline exceeded/,
  () => ({ code: 'EtcdUnhealthy', cause: 'The etcd cluster did not answer in time.' }),
  ({ output }) => /etcd/.test(output.phase ?? ''),
);

/** Before what speaks of requests in general. */
export const etcdQuotaPatterns: Pattern[] = [quota];

export const etcdPatterns: Pattern[] = [
  dataDirectory,
  promoted,
  tooManyLearners,
  ownNotStarted,
  learner,
  promotionTimedOut,
  membership,
  unhealthy,
  pastDeadline,
];
