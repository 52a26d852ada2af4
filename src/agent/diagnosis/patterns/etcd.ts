/** etcd membership in a control-plane join. Texts: cmd/kubeadm/app/util/etcd and etcd's own, 3.4 - 3.6. */
import { inError, type Pattern, type PatternInput, shorten } from './pattern.ts';

const inEtcd = ({ output }: PatternInput): boolean =>
  /etcd/.test(output.phase ?? '') || /etcd/i.test(output.error);

const NOT_IN_SYNC = /can only promote a learner member/;

const learner: Pattern = inError(
  /can only promote a learner member|too many learner members in cluster|unable to (?:start|promote) [^\n]*learner[^\n]*|[Pp]romoting the learner \S+ failed[^\n]*/,
  (match) => ({
    code: 'EtcdLearnerNotReady',
    cause: match[0].startsWith('too many')
      ? 'Another machine is just becoming an etcd member, and the cluster takes one at a time.'
      : 'The new etcd member did not catch up with the leader in time.',
  }),
);

/** Newer kubeadm ends with a bare time-out; the etcd client's own log lines say what was waited for. */
const learnerTimedOut: Pattern = inError(
  /timed out waiting for the condition|context deadline exceeded/,
  () => ({
    code: 'EtcdLearnerNotReady',
    cause: 'The new etcd member did not catch up with the leader in time.',
  }),
  ({ output }) => /etcd/.test(output.phase ?? '') && NOT_IN_SYNC.test(output.stderr),
);

const membership: Pattern = inError(
  /etcdserver: (re-configuration failed due to not enough started members|unhealthy cluster|Peer URLs already exists|member ID already exist|member not found|duplicate [^\n]*)|error (?:adding|creating) (?:etcd )?member[^\n]*|error creating local etcd static pod manifest file: ([^\n]*)/i,
  (match) => ({
    code: 'EtcdMemberNotAdded',
    cause: `This machine could not become an etcd member: ${shorten(match[1] ?? match[2] ?? match[0], 200)}.`,
  }),
  ({ output }) => output.phase !== 'etcd/local',
);

const dataDirectory: Pattern = inError(
  /failed to create the etcd data directory: "?([^\s":]*)"?: ([^\n]*)/,
  (match) => ({
    code: 'EtcdDataUnusable',
    cause: `The directory ${match[1]} for the data of etcd could not be made: ${shorten(match[2] ?? '', 160)}.`,
    remedy:
      'See what lies there and whether the file system can be written; etcd.local.dataDir names another.',
  }),
);

const unhealthy: Pattern = inError(
  /timeout waiting for etcd cluster to be available|etcd cluster is not healthy[^\n]*|error syncing (?:etcd )?endpoints with etcd[^\n]*|could not retrieve the list of etcd endpoints[^\n]*|check-etcd[^\n]*|error execution phase check-etcd[^\n]*|etcd cluster is unavailable or misconfigured[^\n]*|(?:dial tcp \S+:(?:2379|2380))[^\n]*/,
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

export const etcdPatterns: Pattern[] = [
  dataDirectory,
  learner,
  learnerTimedOut,
  membership,
  unhealthy,
  pastDeadline,
];
