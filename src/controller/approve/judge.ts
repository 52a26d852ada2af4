import type { MachineDirectory } from '../machines/directory.ts';
import { admissionObjection } from './admission-objection.ts';
import type { ParsedRequest } from './examine.ts';
import { kubeletKeyObjection } from './kubelet-key-objection.ts';
import { type Address, addressesOf, type Member } from './member.ts';
import type { Members } from './members.ts';
import { approve, deny, leave, type Verdict, wait } from './verdict.ts';

export interface Rules {
  /** How old a Machine may be when a bootstrap token asks for its node; a policy may say less. */
  readonly windowMs: number;
  /** Groups of bootstrap tokens that count. */
  readonly bootstrapGroups: readonly string[];
  /** Takes addresses from the Node, too, which a node writes itself. */
  readonly trustsNodes: boolean;
  /** Denies what is still no Machine's after this time; undefined: leaves it. */
  readonly unknownMs: number | undefined;
}

/** The parts of a Node that we read. */
export interface NodeObject {
  metadata?: { creationTimestamp?: string };
  status?: { conditions?: { type: string; status: string }[]; addresses?: Address[] };
}

export interface ApproverContext {
  /** `namespace/name` of the Cluster. */
  readonly cluster: string;
  readonly members: Pick<Members, 'ofNode' | 'holderOf'>;
  readonly directory: Pick<MachineDirectory, 'keyOf' | 'policiesOf' | 'whyNot' | 'isUnread'>;
  /** Reads a Node; undefined where there is none. */
  readonly node: (name: string) => Promise<NodeObject | undefined>;
}

export interface Judged {
  readonly verdict: Verdict;
  /** Whose it is, where that is known. */
  readonly member?: Member;
}

/** Two clusters' clocks may differ by this. */
const SKEW_MS = 5 * 60_000;

/** Whether a well-formed request may be granted: who asked, for which Machine, and what that Machine may have. */
export async function judge(
  asked: ParsedRequest,
  rules: Rules,
  world: ApproverContext,
  now: number,
): Promise<Judged> {
  const [member, ...more] = world.members.ofNode(world.cluster, asked.node);
  if (!member) return { verdict: ofNobody(asked, rules, world.cluster, now) };
  if (more.length > 0) {
    const names = [member, ...more].map(({ name }) => name).sort();
    return { verdict: wait(`node ${asked.node} could be each of the Machines ${names.join(', ')}`) };
  }
  if (await wasThereBefore(asked.node, member, world)) {
    const verdict = ofNobody(asked, rules, world.cluster, now);
    return {
      verdict: { ...verdict, because: `${verdict.because}: ${member.name} calls itself so, and is younger` },
    };
  }
  const objection =
    (member.deleting ? deny('its Machine is being deleted') : undefined) ??
    admissionObjection(member, world.members, world.directory) ??
    kubeletKeyObjection(asked, member, world.members, world.directory) ??
    (asked.by === 'bootstrap' ? await notBootstrapped(asked, member, rules, world) : undefined) ??
    (asked.use === 'serving' ? await notItsNames(asked, member, rules, world) : undefined);
  const who = `node ${asked.node} is Machine ${member.namespace}/${member.name}`;
  const how = asked.by === 'node' ? 'and it asked itself' : 'which has no Ready Node yet';
  return {
    member,
    verdict: objection
      ? { ...objection, because: `${who}: ${objection.because}` }
      : approve(`${who}, ${how}`),
  };
}

/** A machine can call itself by any name, also by that of a Node which is no Machine's: one that is older than its own Machine. */
async function wasThereBefore(node: string, member: Member, world: ApproverContext): Promise<boolean> {
  if ([member.nodeName, member.name, ...member.hosts].includes(node)) return false;
  const { creationTimestamp } = (await world.node(node))?.metadata ?? {};
  return Date.parse(creationTimestamp ?? '') < member.madeAt - SKEW_MS;
}

function ofNobody(
  { node, madeAt }: ParsedRequest,
  { unknownMs }: Rules,
  cluster: string,
  now: number,
): Verdict {
  const because = `no Machine of Cluster ${cluster} is node ${node}`;
  if (unknownMs === undefined) return leave(because);
  return now - madeAt > unknownMs ? deny(because) : wait(because);
}

/** A bootstrap token can be copied, so it counts for a while only, and not for a node that is there. */
async function notBootstrapped(
  { madeAt, node }: ParsedRequest,
  member: Member,
  { windowMs }: Rules,
  world: ApproverContext,
): Promise<Verdict | undefined> {
  const windows = world.directory.policiesOf(member).map((policy) => policy.windowMs);
  const age = madeAt - member.madeAt;
  if (age < -SKEW_MS) return deny('a bootstrap token asked for it before its Machine was made');
  const least = Math.min(windowMs, ...windows);
  if (age > least)
    return deny(
      `a bootstrap token asked for it ${minutes(age)} minutes after its Machine was made, and counts for ${minutes(least)}`,
    );
  const { status } = (await world.node(node)) ?? {};
  const isReady = status?.conditions?.some(
    (condition) => condition.type === 'Ready' && condition.status === 'True',
  );
  return isReady ? wait('a bootstrap token asks for it, and its Node is Ready') : undefined;
}

async function notItsNames(
  { names, node }: ParsedRequest,
  member: Member,
  { trustsNodes }: Rules,
  world: ApproverContext,
): Promise<Verdict | undefined> {
  const told = trustsNodes ? addressesOf((await world.node(node))?.status?.addresses) : undefined;
  const hosts = new Set([node, ...member.hosts, ...(told?.hosts ?? [])]);
  const ips = new Set([...member.ips, ...(told?.ips ?? [])]);
  const foreign = names.filter(({ kind, value }) => !(kind === 'dns' ? hosts : ips).has(value));
  if (foreign.length === 0) return undefined;
  const list = foreign.map(({ value }) => value).join(', ');
  if (ips.size === 0 && foreign.every(({ kind }) => kind === 'ip'))
    return wait(`its Machine says nothing of its addresses yet (asked for: ${list.slice(0, 200)})`);
  return deny(`it asks for names and addresses that are not its Machine's: ${list.slice(0, 200)}`);
}

function minutes(ms: number): number {
  return Math.round(ms / 60_000);
}
