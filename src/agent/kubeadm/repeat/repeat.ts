/**
 * Between two attempts: kubeadm goes on where it stopped if that is right; else Slipway removes what the failed attempt
 * left. It first brings a control plane's etcd member into order, as long as the credentials for that are still here.
 */
import type { Failure } from '../../../protocol/journal.ts';
import type { Host } from '../../host/host.ts';
import { ETCD_MANIFEST } from '../config/kubeadm-files.ts';
import type { AttemptNote } from './attempt-note.ts';
import { leaveEtcd, type Membership, resolveMembership } from './etcd/membership.ts';
import type { Inventory } from './inventory.ts';
import { isStillJoined } from './joined.ts';
import { cleanUpAttempt } from './leftovers.ts';
import { discoverPhases, knownPhases } from './phases/discover.ts';
import {
  ETCD_PHASES,
  isEtcdPhase,
  isRepeatable,
  phasesBefore,
  phasesThroughEtcd,
  waitsForKubelet,
} from './phases/resume.ts';

export interface RepeatSpec {
  verb: 'init' | 'join';
  /** The real kubeadm, and the arguments it gets behind the verb. */
  path: string;
  args: readonly string[];
  /** What is known of the attempt before; undefined when it vanished without a word. */
  note: AttemptNote | undefined;
  inventory: Inventory;
  /** This machine becomes a control plane. */
  controlPlane: boolean;
  signal: AbortSignal;
  onProgress(message: string): void;
}

type Repeat =
  /** The machine is as it was before the first attempt, but for `problems`. */
  | { kind: 'anew'; problems: string[] }
  /** kubeadm is to skip these phases. */
  | { kind: 'resume'; skip: string[] }
  /** The attempt may not be repeated now; nothing was cleaned. */
  | { kind: 'blocked'; failure: Failure };

/** kubeadm begins anew after it went on this many times without success. */
const MAX_RESUMED = 4;
const ADMIN = '/etc/kubernetes/admin.conf';

/** @throws HostError when the disk cannot be read or written */
export async function prepareRepeat(host: Host, spec: RepeatSpec): Promise<Repeat> {
  const { verb, note, inventory, onProgress } = spec;
  const mayHaveJoined = await mayBeMember(host, spec);
  const member: Membership = mayHaveJoined
    ? await resolveMembership(host, { ...spec, memberId: note?.etcdMember })
    : { state: 'absent', removed: false };
  if (member.state === 'blocked') return { kind: 'blocked', failure: member.failure };
  const skip = await phasesToSkip(host, spec, member);
  if (skip !== undefined) {
    onProgress(`continuing kubeadm ${verb} where it stopped${note?.phase ? ` (${note.phase})` : ''}`);
    return { kind: 'resume', skip };
  }
  if (member.state === 'member') {
    const left = await leaveEtcd(host, { ...spec, memberId: note?.etcdMember });
    if (left.state === 'blocked') return { kind: 'blocked', failure: left.failure };
  }
  onProgress('cleaning up after the previous attempt');
  const { problems } = await cleanUpAttempt(host, inventory, {
    verb,
    phase: note?.phase,
    kubeadmPath: spec.path,
    etcdIsSettled: mayHaveJoined,
  });
  return { kind: 'anew', problems };
}

/** Only a control plane that came as far as etcd, or nobody knows how far, can have told the cluster of a new member. */
async function mayBeMember(
  host: Host,
  { verb, controlPlane, note, inventory }: RepeatSpec,
): Promise<boolean> {
  if (verb !== 'join' || !controlPlane) return false;
  if (note?.phase === undefined || isEtcdPhase(note.phase)) return true;
  return (
    inventory.entries[ETCD_MANIFEST] === undefined && (await host.files.stat(ETCD_MANIFEST)) !== undefined
  );
}

/** Undefined where kubeadm has to begin anew. */
async function phasesToSkip(host: Host, spec: RepeatSpec, member: Membership): Promise<string[] | undefined> {
  const { verb, path, args, note } = spec;
  const failed = note?.phase;
  const behindEtcd = member.state === 'member' && (failed === undefined || isEtcdPhase(failed));
  if (!behindEtcd && !isRepeatable(verb, failed)) return undefined;
  // A control plane whose etcd member is gone has to be made anew, whatever failed.
  if (verb === 'join' && member.state !== 'member') return undefined;
  if ((note?.resumed ?? 0) >= MAX_RESUMED) return undefined;
  if ((await host.files.stat(ADMIN)) === undefined) return undefined;
  const phases = await discoverPhases(host, path, verb);
  const skip = behindEtcd || failed === undefined ? phasesThroughEtcd(phases) : phasesBefore(phases, failed);
  if (skip === undefined || skip.length === 0) return undefined;
  // The member that votes is a pod of the kubelet, so the kubelet runs; kubeadm itself waits for its certificate.
  const kubeletMayCome = behindEtcd && waitsForKubelet(phases, skip);
  if (!kubeletMayCome && !(await isStillJoined(host, verb))) return undefined;
  if (verb === 'init') return skip;
  const hidden = ETCD_PHASES.filter((name) => !skip.includes(name));
  return [...skip, ...(await knownPhases(host, { path, verb, args }, hidden))];
}
