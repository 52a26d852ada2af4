import type { KubeClient } from '../kube/client.ts';
import { Informer } from '../kube/informer.ts';
import { isStatus } from '../kube/kube-error.ts';
import { type Log, reason } from '../log.ts';
import { ChangeThrottle } from '../machines/change-throttle.ts';
import type { Machine, MachineVersion } from '../machines/machine.ts';
import { WorkQueue } from '../machines/work-queue.ts';
import { type NodeRecord, nodeKey } from '../model/node-record.ts';
import { capacityFromFacts, expectedCapacity, type MachineCapacity } from './expected-capacity.ts';
import {
  CAPACITY_LABEL,
  GROUP_KINDS,
  type Group,
  type GroupKind,
  type GroupObject,
  groupsPath,
  readGroup,
} from './group.ts';
import { writeAlikeCondition, writeAnnotations } from './write.ts';

/** A group says what its last machines were; older ones may have been of another size. */
const LAST = 5;
/** A machine that tells something else all the time changes its group a dozen times, then twice an hour. */
const CHANGES = { free: 12, firstMs: 60_000, capMs: 30 * 60_000 };

interface KeeperParts {
  readonly client: KubeClient;
  readonly version: MachineVersion;
  readonly log: Log;
  machine(namespace: string, name: string): Machine | undefined;
}

/** A node that has told its capacity. */
interface Member extends MachineCapacity {
  /** When it enrolled. */
  readonly at: string;
  readonly machine: string;
  owners: readonly string[];
}

/**
 * Keeps the capacity annotations of groups of Machines that ask for it by their label. Only the leading replica writes. A
 * group without machines keeps what it has: that is what it needs the annotations for.
 */
export class CapacityKeeper {
  readonly #parts: KeeperParts;
  readonly #groups = new Map<string, Group>();
  readonly #members = new Map<string, Member>();
  /** Nodes by group, and by Machine. */
  readonly #ofGroup = new Map<string, Set<string>>();
  readonly #ofMachine = new Map<string, string>();
  readonly #dampers = new Map<string, ChangeThrottle>();
  readonly #informers: Informer<GroupObject>[];
  readonly #queue: WorkQueue;
  #leads = false;

  constructor(parts: KeeperParts) {
    const { client, version, log } = parts;
    this.#parts = parts;
    this.#queue = new WorkQueue((key) => this.#reconcile(key), {
      parallel: 2,
      failed: (group, error, retryInMs) =>
        log.warn('the capacity of a group could not be written', { group, reason: reason(error), retryInMs }),
    });
    this.#informers = (Object.keys(GROUP_KINDS) as GroupKind[]).map(
      (kind) =>
        new Informer<GroupObject>(
          client,
          groupsPath(version, kind),
          {
            changed: (object) => {
              const group = readGroup(object, kind, version);
              this.#groups.set(keyOf(group), group);
              this.#look(keyOf(group));
            },
            gone: (key) => this.#leave(`${key.split('/')[0]}/${kind}/${key.split('/')[1]}`),
            trouble: (error, retryInMs) => {
              // A Cluster API without pools, or rights of an older release: then there is nothing to do.
              const level = isStatus(error, 404) || isStatus(error, 403) ? 'debug' : 'info';
              log[level]('groups of Machines cannot be followed', { kind, reason: reason(error), retryInMs });
            },
          },
          { selector: CAPACITY_LABEL },
        ),
    );
  }

  start(): void {
    for (const informer of this.#informers) informer.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#informers.map((informer) => informer.stop()));
    await this.#queue.stop();
  }

  lead(leads: boolean): void {
    this.#leads = leads;
    for (const key of this.#groups.keys()) this.#look(key);
  }

  nodeChanged(record: NodeRecord): void {
    const key = nodeKey(record);
    const { machine } = record.spec;
    const brought = capacityFromFacts(record.summary.facts ?? {});
    if (machine === undefined || brought === undefined || isShutOut(record)) {
      const { owners = [] } = this.#members.get(key) ?? {};
      this.nodeGone(key);
      for (const owner of owners) this.#look(`${record.namespace}/${owner}`);
      return;
    }
    const before = this.#members.get(key);
    if (before !== undefined && before.machine === machine.name && isSame(before, brought)) return;
    this.nodeGone(key);
    const owners = this.#parts.machine(record.namespace, machine.name)?.owners ?? [];
    this.#members.set(key, { ...brought, at: record.spec.enrolment.at, machine: machine.name, owners });
    this.#ofMachine.set(`${record.namespace}/${machine.name}`, key);
    this.#join(key, record.namespace, owners);
  }

  nodeGone(key: string): void {
    const member = this.#members.get(key);
    if (member === undefined) return;
    const namespace = key.split('/')[0] ?? '';
    this.#members.delete(key);
    this.#ofMachine.delete(`${namespace}/${member.machine}`);
    for (const owner of member.owners) this.#ofGroup.get(`${namespace}/${owner}`)?.delete(key);
  }

  /** A node may be known before its Machine is. */
  machineChanged({ namespace, name, owners }: Machine): void {
    const key = this.#ofMachine.get(`${namespace}/${name}`);
    const member = key === undefined ? undefined : this.#members.get(key);
    if (key === undefined || member === undefined || member.owners.join() === owners.join()) return;
    for (const owner of member.owners) this.#ofGroup.get(`${namespace}/${owner}`)?.delete(key);
    member.owners = owners;
    this.#join(key, namespace, owners);
  }

  #join(key: string, namespace: string, owners: readonly string[]): void {
    for (const owner of owners) {
      const group = `${namespace}/${owner}`;
      const nodes = this.#ofGroup.get(group) ?? new Set();
      this.#ofGroup.set(group, nodes.add(key));
      this.#look(group);
    }
  }

  #look(key: string): void {
    if (this.#leads && this.#groups.has(key)) this.#queue.add(key);
  }

  /** It asks no longer, or is gone: what is ours goes. */
  #leave(key: string): void {
    const group = this.#groups.get(key);
    this.#groups.delete(key);
    this.#dampers.delete(key);
    if (!this.#leads || group === undefined || Object.keys(group.own).length === 0) return;
    const { client, version, log } = this.#parts;
    writeAnnotations(client, version, group, {}).catch((error) =>
      log.warn('the capacity of a group could not be taken back', { group: key, reason: reason(error) }),
    );
  }

  async #reconcile(key: string): Promise<void> {
    const group = this.#groups.get(key);
    if (!this.#leads || group === undefined || group.deleting) return;
    const members = [...(this.#ofGroup.get(key) ?? [])].flatMap((node) => this.#members.get(node) ?? []);
    const last = members.toSorted((a, b) => (a.at < b.at ? 1 : -1)).slice(0, LAST);
    if (last.length === 0) return;
    const { annotations, differences } = expectedCapacity(last);
    const own = Object.fromEntries(Object.entries(annotations).filter(([name]) => !group.foreign.has(name)));
    const { client, version, log } = this.#parts;
    const said =
      differences.length === 0
        ? { status: 'True' as const, reason: 'Alike', message: 'The last machines brought the same.' }
        : {
            status: 'False' as const,
            reason: 'MachinesDiffer',
            message: `Of the last ${last.length} machines ${differences.join('; ')}. The autoscaler is told the least of each.`,
          };
    const { condition } = group;
    const isOther = textOf(own) !== textOf(group.own);
    const isSaidAnew = condition?.status !== said.status || (condition.message ?? '') !== said.message;
    if (!isOther && !isSaidAnew) return;
    const damper = this.#dampers.get(key) ?? new ChangeThrottle(CHANGES);
    this.#dampers.set(key, damper);
    const waitMs = damper.waitMs(performance.now());
    // The latest state wins: it is looked at again then.
    if (waitMs > 0) return this.#queue.later(key, waitMs);
    if (isOther) {
      await writeAnnotations(client, version, group, own);
      damper.changed(performance.now());
      log.info('wrote what the next machine of a group will bring', { group: key, machines: last.length });
    }
    if (!isSaidAnew) return;
    await writeAlikeCondition(client, version, group, said);
    if (!isOther) damper.changed(performance.now());
  }
}

function keyOf({ namespace, kind, name }: Group): string {
  return `${namespace}/${kind}/${name}`;
}

/** What it told does not count for machines that are still to come. */
function isShutOut({ spec }: NodeRecord): boolean {
  return spec.admission?.state === 'Quarantined' || spec.admission?.state === 'Refused';
}

const textOf = (annotations: Readonly<Record<string, string>>): string =>
  JSON.stringify(Object.entries(annotations).sort(([a], [b]) => (a < b ? -1 : 1)));

function isSame(before: MachineCapacity, after: MachineCapacity): boolean {
  const text = ({ capacity, labels, taints }: MachineCapacity) =>
    JSON.stringify([Object.entries(capacity), labels, taints]);
  return text(before) === text(after);
}
