import type { MachineDirectory } from '../machines/directory.ts';
import { MachineIndex } from '../machines/machine-index.ts';
import { type NodeRecord, type NodeSpec, nodeKey } from '../model/node-record.ts';
import type { Member } from './member.ts';

/** What is kept of a NodeBootstrap. */
type Holder = Pick<NodeSpec, 'machine' | 'admission' | 'enrolment' | 'hostname' | 'kubelet'>;

/**
 * Which Machine a Node is of. Until Cluster API says so itself (`status.nodeRef`), what counts is what the Machine's
 * infrastructure says of it, and after that what a machine that proved to be this Machine calls itself.
 */
export class Members {
  readonly #directory: Pick<MachineDirectory, 'put' | 'remove' | 'byUid' | 'byName'>;
  readonly #byRef = new MachineIndex();
  readonly #byName = new MachineIndex();
  readonly #members = new Map<string, Member>();
  readonly #holders = new Map<string, Holder>();
  /** Keys of NodeBootstraps by the host name that they tell. */
  readonly #hosts = new Map<string, Set<string>>();

  constructor(directory: Pick<MachineDirectory, 'put' | 'remove' | 'byUid' | 'byName'>) {
    this.#directory = directory;
  }

  /** @returns what was of its name before */
  put(member: Member): Member | undefined {
    const before = this.remove(`${member.namespace}/${member.name}`);
    this.#directory.put(member);
    this.#members.set(member.uid, member);
    for (const [index, key] of indexed(member))
      (index === 'ref' ? this.#byRef : this.#byName).add(key, member);
    return before;
  }

  /** @param key `namespace/name` */
  remove(key: string): Member | undefined {
    const machine = this.#directory.byName(...(key.split('/') as [string, string]));
    this.#directory.remove(key);
    const member = this.#members.get(machine?.uid ?? '');
    if (!member) return undefined;
    this.#members.delete(member.uid);
    for (const [index, at] of indexed(member))
      (index === 'ref' ? this.#byRef : this.#byName).remove(at, member);
    return member;
  }

  byUid(uid: string | undefined): Member | undefined {
    return this.#members.get(uid ?? '');
  }

  /** A NodeBootstrap. */
  held(record: NodeRecord): void {
    const key = nodeKey(record);
    this.released(key);
    const { machine, admission, enrolment, hostname, kubelet } = record.spec;
    if (!machine) return;
    this.#holders.set(key, {
      ...{ machine, enrolment, hostname },
      ...(admission ? { admission } : {}),
      ...(kubelet ? { kubelet } : {}),
    });
    const host = hostname.toLowerCase();
    this.#hosts.set(host, (this.#hosts.get(host) ?? new Set()).add(key));
  }

  /** @param key of a NodeBootstrap that is gone. @returns the Machine that it held */
  released(key: string): Member | undefined {
    const holder = this.#holders.get(key);
    if (!holder) return undefined;
    this.#holders.delete(key);
    const host = holder.hostname.toLowerCase();
    this.#hosts.get(host)?.delete(key);
    if (this.#hosts.get(host)?.size === 0) this.#hosts.delete(host);
    return this.byUid(holder.machine?.uid);
  }

  /**
   * What the machine told that is this Machine; undefined where none has enrolled. It is in the one place that a Machine has:
   * whoever may write NodeBootstraps in another namespace says nothing of it.
   */
  holderOf({ uid, namespace, name }: Member): Holder | undefined {
    const holder = this.#holders.get(`${namespace}/${name}`);
    return holder?.machine?.uid === uid ? holder : undefined;
  }

  /**
   * @param cluster `namespace/name` of the Cluster
   * @returns none where no Machine is it, several where it cannot be told which
   */
  ofNode(cluster: string, node: string): readonly Member[] {
    const referred = this.#byRef.get(`${cluster} ${node}`);
    const named = referred.length > 0 ? referred : this.#byName.get(`${cluster} ${node}`);
    const found = named.length > 0 ? named.map(({ uid }) => this.byUid(uid)) : this.#called(cluster, node);
    return [...new Set(found)].filter((member) => member !== undefined);
  }

  /** Node names that this Machine may be meant by. */
  namesOf(member: Member): string[] {
    const told = this.holderOf(member)?.hostname.toLowerCase();
    const names = [member.nodeName, member.name, ...member.hosts, told];
    return [...new Set(names.filter((name) => name !== undefined))];
  }

  /** Machines by what they call themselves; only those that proved which Machine they are have a say in it. */
  #called(cluster: string, node: string): (Member | undefined)[] {
    const holders = [...(this.#hosts.get(node) ?? [])].map((key) => this.#holders.get(key));
    return holders
      .filter((holder) => holder?.machine?.by === 'tpm' || holder?.machine?.by === 'token')
      .map((holder) => ({ holder, member: this.byUid(holder?.machine?.uid) }))
      .filter(({ holder, member }) => member && this.holderOf(member) === holder)
      .map(({ member }) => member)
      .filter((member) => member && member.nodeName === undefined && clusterOf(member) === cluster);
  }
}

/** `namespace/name` of its Cluster; nobody but Cluster API's CRD has checked the name. */
export function clusterOf({ namespace, cluster }: Member): string {
  return `${namespace}/${cluster}`;
}

/** A Machine that has a Node is no other one's. */
function indexed(member: Member): (readonly ['ref' | 'name', string])[] {
  const cluster = clusterOf(member);
  if (member.nodeName !== undefined) return [['ref', `${cluster} ${member.nodeName}`]];
  return [...new Set([member.name, ...member.hosts])].map((name) => ['name', `${cluster} ${name}`] as const);
}
