/** Brings this machine's etcd member into a state in which its control plane can be joined once more. */
import { BACKOFF, backoffMs } from '../../../../kit/backoff.ts';
import { type Code, codes } from '../../../../protocol/codes/codes.ts';
import type { Failure } from '../../../../protocol/journal.ts';
import { type Host, HostError } from '../../../host/host.ts';
import { ETCD_MANIFEST } from '../../config/kubeadm-files.ts';
import { EtcdClient, EtcdRefusal } from './client.ts';
import {
  decideMembership,
  decideRemoval,
  hexId,
  type ObservedMember,
  type OwnMember,
  orphan,
  ownMember,
} from './decide-membership.ts';
import { findEndpoints, ownPeerUrl, readEtcdCredentials } from './endpoints.ts';

export type Membership =
  /** etcd knows nothing of this machine, or no longer: it may be cleaned and joined. */
  | { state: 'absent'; removed: boolean }
  /** Its member votes and is healthy. */
  | { state: 'member' }
  /** Nothing may be cleaned or repeated now. */
  | { state: 'blocked'; failure: Failure };

interface MembershipSpec {
  /** Id of this machine's member, where kubeadm has told it. */
  memberId?: string | undefined;
  signal: AbortSignal;
  onProgress(message: string): void;
  /** How long to wait for a member that runs or starts, in milliseconds. */
  patienceMs?: number;
}

const PATIENCE_MS = 90_000;
/** etcd calls itself unhealthy for five seconds after every change of its members. */
const REMOVAL_MS = 10_000;

/** Looks, and removes or awaits a half-joined member. Never throws for what etcd or the network do. @throws HostError for the disk */
export async function resolveMembership(host: Host, spec: MembershipSpec): Promise<Membership> {
  return withEtcd(host, spec, async (client, own) => {
    const until = host.clock.monotonic() + (spec.patienceMs ?? PATIENCE_MS);
    let told = '';
    for (let looks = 1; ; looks += 1) {
      const members = await look(client, own);
      const patient = host.clock.monotonic() < until;
      const decision = decideMembership(members, own, patient);
      switch (decision.act) {
        case 'nothing':
          return { state: 'absent', removed: false };
        case 'keep':
          return { state: 'member' };
        case 'remove':
          spec.onProgress("removing this machine's half-joined etcd member");
          await remove(host, client, decision.id);
          return { state: 'absent', removed: true };
        case 'refuse':
          return blocked('EtcdQuorumAtRisk', decision.cause);
        case 'promote':
          await tryPromotion(client, decision.id);
          break;
        default:
      }
      const message =
        decision.act === 'promote' ? "this machine's new etcd member is catching up" : decision.cause;
      // Told to stop, or out of time: take nothing away in a hurry.
      if (spec.signal.aborted) return blocked('EtcdUnhealthy', `timed out waiting: ${message}`);
      if (message !== told) spec.onProgress(`waiting: ${message}`);
      told = message;
      await pause(host, looks, spec.signal);
    }
  });
}

/** Takes a healthy member out if the cluster can do without it, because the machine has to begin anew. */
export async function leaveEtcd(host: Host, spec: MembershipSpec): Promise<Membership> {
  return withEtcd(host, spec, async (client, own) => {
    const members = await look(client, own);
    const mine = ownMember(members, own);
    if (mine === undefined) return { state: 'absent', removed: false };
    const decision = decideRemoval(members, mine);
    if (decision.act !== 'remove')
      return blocked('EtcdQuorumAtRisk', decision.act === 'refuse' ? decision.cause : 'etcd is changing');
    spec.onProgress("removing this machine's etcd member from the cluster");
    await remove(host, client, mine.id);
    return { state: 'absent', removed: true };
  });
}

/** What a reset finds of a join that failed: a member that never started, which kubeadm's own reset leaves in the list. */
interface Orphan {
  /** As etcdctl writes it; undefined where etcd could not be asked. */
  id?: string;
  removed: boolean;
  /** Why it was not removed, or could not be looked for. */
  why?: string;
}

/** Removes the member that this machine's join has added and never started. @throws HostError for the disk */
export async function removeOrphan(
  host: Host,
  spec: Pick<MembershipSpec, 'memberId'>,
): Promise<Orphan | undefined> {
  let found: Orphan | undefined;
  const end = await withEtcd(host, spec, async (client, own) => {
    const members = await look(client, own);
    const mine = orphan(members, own);
    if (mine === undefined) return { state: 'absent', removed: false };
    found = { id: hexId(mine.id), removed: false };
    const decision = decideRemoval(members, mine);
    if (decision.act !== 'remove')
      return blocked('EtcdQuorumAtRisk', decision.act === 'refuse' ? decision.cause : 'etcd is changing');
    await remove(host, client, mine.id);
    return { state: 'absent', removed: true };
  });
  if (end.state === 'blocked') return { ...found, removed: false, why: end.failure.cause };
  return found === undefined ? undefined : { ...found, removed: end.state === 'absent' && end.removed };
}

/** The learners of the cluster, as far as this machine can ask; none where it cannot. Never throws for what etcd does. */
export async function learnersOf(host: Host): Promise<ObservedMember[]> {
  let found: ObservedMember[] = [];
  await withEtcd(host, {}, async (client, own) => {
    found = (await look(client, own)).filter(({ learner }) => learner);
    return { state: 'absent', removed: false };
  });
  return found;
}

async function withEtcd(
  host: Host,
  { memberId }: Pick<MembershipSpec, 'memberId'>,
  work: (client: EtcdClient, own: OwnMember) => Promise<Membership>,
): Promise<Membership> {
  const credentials = await readEtcdCredentials(host);
  const peerUrl = await ownPeerUrl(host);
  // kubeadm makes both long before it tells the cluster of a new member.
  if (credentials === undefined || peerUrl === undefined) return { state: 'absent', removed: false };
  const endpoints = await findEndpoints(host);
  if (endpoints.kind === 'none') return { state: 'absent', removed: false };
  if (endpoints.kind === 'unknown')
    return blocked(
      'EtcdUnhealthy',
      `cannot find the etcd members, which must be checked before the join is repeated: ${endpoints.why}`,
    );
  const hasManifest = (await host.files.stat(ETCD_MANIFEST)) !== undefined;
  const client = new EtcdClient(host, others(endpoints.urls, peerUrl), credentials);
  try {
    return await work(client, { peerUrl, hasManifest, memberId });
  } catch (error) {
    if (!(error instanceof EtcdRefusal || error instanceof HostError)) throw error;
    const code = error instanceof EtcdRefusal && /quorum|unhealthy|started/.test(error.message);
    return blocked(
      code ? 'EtcdQuorumAtRisk' : 'EtcdUnhealthy',
      `cannot check or change the etcd members: ${error.message}`,
    );
  } finally {
    client.close();
  }
}

/** The members on other machines first: this one's may know nothing yet. */
function others(urls: readonly string[], peerUrl: string): string[] {
  const { hostname } = new URL(peerUrl);
  return [...urls].sort((a, b) => Number(a.includes(hostname)) - Number(b.includes(hostname)));
}

async function look(client: EtcdClient, own: OwnMember): Promise<ObservedMember[]> {
  const members = await client.members();
  const ownClientUrl = own.peerUrl.replace(/:2380$/, ':2379');
  return Promise.all(
    members.map(async (member) => {
      const isOwn = member.peerUrls.includes(own.peerUrl);
      const clientUrls = member.clientUrls.length > 0 || !isOwn ? member.clientUrls : [ownClientUrl];
      return { ...member, healthy: member.name !== '' && (await client.isHealthy({ clientUrls })) };
    }),
  );
}

const pause = (host: Host, looks: number, signal?: AbortSignal): Promise<void> =>
  host.clock
    .sleep(
      backoffMs(looks, BACKOFF.etcd, () => host.random()),
      signal,
    )
    .catch(() => undefined);

async function remove(host: Host, client: EtcdClient, id: string): Promise<void> {
  const until = host.clock.monotonic() + REMOVAL_MS;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await client.remove(id);
    } catch (error) {
      // Somebody else was quicker: KubeadmControlPlane removes members that have not started, too.
      if (error instanceof EtcdRefusal && /member not found/.test(error.message)) return;
      const passes = error instanceof EtcdRefusal && /unhealthy cluster/.test(error.message);
      if (!passes || host.clock.monotonic() >= until) throw error;
      await pause(host, attempt);
    }
  }
}

/** etcd refuses a learner that has not caught up. That is no error: there is a next time. */
async function tryPromotion(client: EtcdClient, id: string): Promise<void> {
  try {
    await client.promote(id);
  } catch (error) {
    if (!(error instanceof EtcdRefusal)) throw error;
  }
}

function blocked(code: Code, cause: string): Membership {
  const text = `${cause.charAt(0).toUpperCase()}${cause.slice(1)}.`;
  return { state: 'blocked', failure: { code, cause: text, remedy: codes()[code].fix } };
}
