import type { AddressedMachine, Member } from '../../approve/member.ts';
import { readMember } from '../../approve/member.ts';
import { clusterOf, Members } from '../../approve/members.ts';
import type { KubeClient } from '../../kube/client.ts';
import { Informer } from '../../kube/informer.ts';
import { isStatus, undefinedOnStatus } from '../../kube/kube-error.ts';
import type { Log } from '../../log.ts';
import { MachineDirectory } from '../../machines/directory.ts';
import { type MachineVersion, machinesPath } from '../../machines/machine.ts';
import { InfrastructureWatch } from '../../proofs/infrastructure-watch.ts';
import { PolicyWatch } from '../../proofs/policy-watch.ts';
import { collectionPath, type NodeBootstrap, objectPath, recordOf } from '../../store/node-bootstrap.ts';

interface MemberWatchParts {
  /** The client of the cluster that has the Machines. */
  readonly client: KubeClient;
  readonly version: MachineVersion;
  /** Undefined: all. */
  readonly namespace: string | undefined;
  readonly log: Log;
  readonly trouble: (collection: string, error: Error, retryInMs: number) => void;
  /** Called with a Cluster (`namespace/name`) that has its first Machine, and with one that had its last. */
  readonly want: (cluster: string) => void;
  readonly drop: (cluster: string) => void;
  /** Something is known now of these nodes that was not before. */
  readonly lookAgain: (cluster: string, nodes: readonly string[]) => void;
}

/** Follows what an approver has to know of Machines: themselves, their NodeBootstraps, what they must prove and by which TPM. */
export class MemberWatch {
  readonly directory = new MachineDirectory();
  readonly members = new Members(this.directory);
  readonly #parts: MemberWatchParts;
  readonly #machines: Informer<AddressedMachine>;
  readonly #nodes: Informer<NodeBootstrap>;
  readonly #policies: PolicyWatch;
  readonly #infrastructure: InfrastructureWatch;
  /** Machines by Cluster. */
  readonly #counts = new Map<string, number>();
  #isKnown = false;

  constructor(parts: MemberWatchParts) {
    const { client, version, namespace, log, trouble } = parts;
    const { directory } = this;
    this.#parts = parts;
    const optional = (collection: string, listed: () => void) => (error: Error, retryInMs: number) =>
      // Where Slipway's own objects are not installed, nobody demands a proof.
      isStatus(error, 404) ? listed() : trouble(collection, error, retryInMs);
    this.#machines = new Informer<AddressedMachine>(client, machinesPath(version, namespace), {
      changed: (object) => this.#lookAgain(this.#put(object)),
      gone: (key) => this.#remove(key),
      listed: () => this.#listed.machines.resolve(),
      trouble: (error, retryInMs) => trouble('machines', error, retryInMs),
    });
    this.#nodes = new Informer<NodeBootstrap>(
      client,
      collectionPath(namespace),
      {
        changed: (object) => {
          const record = recordOf(object);
          this.members.held(record);
          this.#lookAgain(this.members.byUid(record.spec.machine?.uid));
        },
        gone: (key) => this.#lookAgain(this.members.released(key)),
        listed: () => this.#listed.nodes.resolve(),
        trouble: optional('nodebootstraps', () => this.#listed.nodes.resolve()),
      },
      { pageSize: 100 },
    );
    this.#policies = new PolicyWatch({
      ...{ client, book: directory.policies, log, namespace },
      trouble: optional('nodeidentitypolicies', () => undefined),
    });
    this.#infrastructure = new InfrastructureWatch({
      ...{ client, directory, log },
      // The controller tells of that.
      alarms: { disagrees: () => undefined },
      known: ({ uid }) => this.#lookAgain(this.members.byUid(uid)),
    });
  }

  readonly #listed = { machines: Promise.withResolvers<void>(), nodes: Promise.withResolvers<void>() };

  /** Resolves when it knows all there is, and has told of each Cluster. */
  async start(): Promise<void> {
    this.#machines.start();
    this.#nodes.start();
    await Promise.all([this.#listed.machines.promise, this.#listed.nodes.promise, this.#policies.start()]);
    this.#isKnown = true;
    for (const cluster of this.#counts.keys()) this.#parts.want(cluster);
  }

  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** Reads a Machine and its NodeBootstrap anew. @throws KubeError */
  async refresh({ namespace, name }: Member): Promise<void> {
    const { client, version } = this.#parts;
    const machine = await found<AddressedMachine>(client, `${machinesPath(version, namespace)}/${name}`);
    if (machine) this.#put(machine);
    else this.#remove(`${namespace}/${name}`);
    const node = await found<NodeBootstrap>(client, objectPath(namespace, name));
    if (node) this.members.held(recordOf(node));
    else this.members.released(`${namespace}/${name}`);
  }

  async stop(): Promise<void> {
    await Promise.all([this.#machines.stop(), this.#nodes.stop(), this.#policies.stop()]);
    await this.#infrastructure.stop();
  }

  #put(object: AddressedMachine): Member {
    const member = readMember(object, this.#parts.version);
    const before = this.members.put(member);
    this.#infrastructure.machineChanged(member);
    this.#count(member, 1);
    this.#count(before, -1);
    return member;
  }

  /** @param key `namespace/name` */
  #remove(key: string): void {
    const member = this.members.remove(key);
    if (!member) return;
    this.#infrastructure.machineGone(member.uid);
    this.#count(member, -1);
  }

  #count(member: Member | undefined, by: 1 | -1): void {
    if (!member) return;
    const cluster = clusterOf(member);
    const left = (this.#counts.get(cluster) ?? 0) + by;
    if (left > 0) this.#counts.set(cluster, left);
    else this.#counts.delete(cluster);
    if (this.#isKnown && by === 1) this.#parts.want(cluster);
    if (left === 0) this.#parts.drop(cluster);
  }

  #lookAgain(member: Member | undefined): void {
    if (this.#isKnown && member) this.#parts.lookAgain(clusterOf(member), this.members.namesOf(member));
  }
}

/** @returns undefined where there is none of that name */
function found<T>(client: KubeClient, path: string): Promise<T | undefined> {
  return undefinedOnStatus(client.request<T>('GET', path), 404);
}
