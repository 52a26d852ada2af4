import type { KubeClient } from '../kube/client.ts';
import { type Log, reason } from '../log.ts';
import { ChangeThrottle } from '../machines/change-throttle.ts';
import { BOOTSTRAPPED, conditionOf, SILENT_MS } from '../machines/condition.ts';
import { writeCondition } from '../machines/condition-writer.ts';
import type { EventRecorder } from '../machines/event-recorder.ts';
import {
  type Condition,
  conditionDigest,
  conditionText,
  type Machine,
  type MachineVersion,
} from '../machines/machine.ts';
import { WorkQueue } from '../machines/work-queue.ts';
import { type NodeRecord, nodeKey } from '../model/node-record.ts';
import type { Summary } from '../model/summary.ts';
import type { Pool } from './pool.ts';
import { noMachines, type PoolMachine, poolConditionOf } from './pool-condition.ts';
import type { PoolDirectory } from './pool-directory.ts';

/** Manages this condition alone: who applies, removes what it had applied before and names no more. */
const MANAGER = 'slipway-controller-pool';
/** What many machines tell at once is summed up once. */
const TOGETHER_MS = 1_000;
/** A pool of machines that are replaced one by one changes a dozen times, then once in five minutes. */
const VERDICTS = { free: 12, firstMs: 30_000, capMs: 5 * 60_000 };
/** Only words: which machines, and how many. */
const PROGRESS = { free: 20, firstMs: 30_000, capMs: 2 * 60_000 };
/** Long enough for an infrastructure provider to name the instance of a machine. */
const NAMED_MS = 15 * 60_000;

interface ReconcilerParts {
  readonly client: KubeClient;
  readonly version: MachineVersion;
  readonly directory: PoolDirectory;
  readonly recorder: EventRecorder;
  readonly machine: (namespace: string, name: string) => Machine | undefined;
  readonly log: Log;
}

interface Member {
  /** As `poolKey` makes it. */
  readonly pool: string;
  readonly name: string;
  readonly at: number;
  readonly providerID: string | undefined;
  readonly isTied: boolean;
  summary: Summary;
  seq: number;
  epoch: number;
  storedAt: number;
  /** When this replica last learnt something new about it, by the monotonic clock. */
  heardAt: number;
  /** Status and reason when its pool was looked at last. */
  said: string | undefined;
}

/** What was written on a pool, and how often that changed. */
interface Written {
  digest: string | undefined;
  readonly verdicts: ChangeThrottle;
  readonly progress: ChangeThrottle;
}

/**
 * Writes on each MachinePool what its machines tell: those that came by a token of the pool, and those that are Machines which the
 * pool's infrastructure made. Only the leading replica writes.
 */
export class PoolReconciler {
  readonly #parts: ReconcilerParts;
  readonly #members = new Map<string, Member>();
  readonly #ofPool = new Map<string, Set<string>>();
  /** Nodes whose Machine is not known yet, by that Machine. */
  readonly #unknown = new Map<string, NodeRecord>();
  readonly #written = new Map<string, Written>();
  readonly #queue: WorkQueue;
  #leads = false;

  constructor(parts: ReconcilerParts) {
    this.#parts = parts;
    this.#queue = new WorkQueue((key) => this.#reconcile(key), {
      parallel: 2,
      failed: (pool, error, retryInMs) =>
        parts.log.warn('the condition of a MachinePool could not be written', {
          ...{ pool, reason: reason(error), retryInMs },
        }),
    });
  }

  lead(leads: boolean): void {
    this.#leads = leads;
    for (const key of this.#parts.directory.keys()) this.#look(key);
  }

  async stop(): Promise<void> {
    await this.#queue.stop();
  }

  poolChanged(key: string): void {
    this.#look(key);
  }

  poolGone(key: string): void {
    this.#written.delete(key);
    this.#queue.forget(key);
  }

  nodeChanged(record: NodeRecord): void {
    const key = nodeKey(record);
    const pool = this.#poolOf(record);
    if (pool === undefined || isShutOut(record)) {
      this.#leave(key);
      return;
    }
    const member = this.#memberOf(key, record, pool);
    if (isOlder(record, member)) return;
    const { seq, epoch, storedAt, summary } = record;
    if (member.seq !== seq || member.epoch !== epoch) member.heardAt = performance.now();
    // Steps and facts are nobody's business here, and there may be thousands of machines.
    const { facts: _, ...rest } = summary;
    Object.assign(member, { seq, epoch, storedAt, summary: { ...rest, steps: [] } });
    if (member.said !== conditionText(saidBy(member))) this.#look(pool);
  }

  nodeGone(key: string): void {
    this.#unknown.delete(key);
    this.#leave(key);
  }

  #leave(key: string): void {
    const member = this.#members.get(key);
    if (!member) return;
    this.#members.delete(key);
    const others = this.#ofPool.get(member.pool);
    others?.delete(key);
    if (others?.size === 0) this.#ofPool.delete(member.pool);
    this.#look(member.pool);
  }

  /** A node may be known before its Machine is. */
  machineChanged({ namespace, name, deleting }: Machine): void {
    const key = `${namespace}/${name}`;
    const waiting = this.#unknown.get(key);
    if (waiting) this.nodeChanged(waiting);
    // Its verdict is of no interest any more.
    else if (deleting && this.#members.get(key)?.isTied) this.#leave(key);
  }

  #poolOf(record: NodeRecord): string | undefined {
    const { namespace, spec } = record;
    const key = nodeKey(record);
    if (!spec.machine) return poolOfOwners(namespace, [spec.enrolment.selector?.owner ?? '']);
    const machine = this.#parts.machine(namespace, spec.machine.name);
    if (machine) this.#unknown.delete(key);
    else this.#unknown.set(key, record);
    return machine && !machine.deleting ? poolOfOwners(namespace, machine.owners) : undefined;
  }

  /** The one that is known, unless another machine has its name or it is another pool's now. */
  #memberOf(key: string, { name, spec, summary }: NodeRecord, pool: string): Member {
    const at = Date.parse(spec.enrolment.at);
    const before = this.#members.get(key);
    if (before?.pool === pool && before.at === at) return before;
    this.#leave(key);
    const member = {
      ...{ pool, name, at, isTied: spec.machine !== undefined, providerID: spec.providerID },
      ...{ said: undefined, seq: -1, epoch: -1, storedAt: 0, heardAt: 0, summary },
    };
    this.#members.set(key, member);
    this.#ofPool.set(pool, (this.#ofPool.get(pool) ?? new Set()).add(key));
    return member;
  }

  #look(key: string): void {
    if (this.#leads) this.#queue.later(key, TOGETHER_MS);
  }

  async #reconcile(key: string): Promise<void> {
    const pool = this.#parts.directory.byKey(key);
    if (!this.#leads || !pool || pool.deleting) return;
    const condition = this.#wanted(pool, key);
    if (!condition) return;
    const digest = conditionDigest(condition);
    if (pool.condition !== undefined && conditionDigest(pool.condition) === digest) return;
    const written = this.#written.get(key) ?? newWritten();
    this.#written.set(key, written);
    const isVerdict =
      pool.condition === undefined || conditionText(pool.condition) !== conditionText(condition);
    const damper = isVerdict ? written.verdicts : written.progress;
    const waitMs = damper.waitMs(performance.now());
    // The latest state wins: it is looked at again then.
    if (waitMs > 0) return this.#queue.later(key, waitMs);
    const before = { status: pool.condition?.status, since: pool.condition?.lastTransitionTime };
    const { client, version, directory } = this.#parts;
    if (!(await writeCondition(client, version, pool, condition, before, MANAGER))) return;
    damper.changed(performance.now());
    const isNews = written.digest !== digest;
    written.digest = digest;
    // The watch tells of it a moment later.
    if (directory.byKey(key) === pool)
      directory.put({ ...pool, condition: { ...pool.condition, ...condition } });
    if (isNews) await this.#tell(pool, condition);
  }

  #wanted(pool: Pool, key: string): Condition | undefined {
    const machines: PoolMachine[] = [];
    let isRunning = false;
    for (const node of this.#ofPool.get(key) ?? []) {
      const member = this.#members.get(node);
      if (!member) continue;
      const said = saidBy(member);
      member.said = conditionText(said);
      isRunning ||= member.summary.phase === 'Running';
      if (!isReplaced(member, pool)) machines.push({ name: member.name, said, storedAt: member.storedAt });
    }
    if (isRunning) this.#queue.later(key, SILENT_MS / 2);
    if (machines.length > 0) return poolConditionOf(machines);
    // What was said of machines that are gone must not stay.
    return pool.condition && noMachines();
  }

  async #tell(pool: Pool, { status, reason: code, message }: Condition): Promise<void> {
    if (status === 'Unknown' || code === BOOTSTRAPPED) return;
    const { recorder, log } = this.#parts;
    try {
      await recorder.record(pool, { type: 'Warning', reason: code, message });
    } catch (error) {
      // The condition is written; the Event is only a courtesy.
      log.warn('an Event could not be written', { pool: pool.name, reason: reason(error) });
    }
  }
}

function newWritten(): Written {
  return {
    digest: undefined,
    verdicts: new ChangeThrottle(VERDICTS),
    progress: new ChangeThrottle(PROGRESS),
  };
}

/** What its own condition says, or would say if it had a Machine. */
function saidBy({ summary, heardAt, storedAt }: Member): Condition {
  return conditionOf(summary, performance.now() - heardAt, storedAt);
}

/** The infrastructure provider names the pool's instances, and this machine's is none of them any more. */
function isReplaced({ providerID, at, isTied }: Member, { providerIDs }: Pool): boolean {
  if (isTied || providerID === undefined || providerIDs.size === 0) return false;
  return !providerIDs.has(providerID) && at < Date.now() - NAMED_MS;
}

function poolOfOwners(namespace: string, owners: readonly string[]): string | undefined {
  const owner = owners.find((one) => one.startsWith('MachinePool/'));
  return owner && `${namespace}/${owner}`;
}

/** What it told does not count. */
function isShutOut({ spec }: NodeRecord): boolean {
  return spec.admission?.state === 'Quarantined' || spec.admission?.state === 'Refused';
}

/** The watch lags behind what this replica has stored, and may still report the past. */
function isOlder(record: NodeRecord, known: Member): boolean {
  return record.epoch === known.epoch ? record.seq < known.seq : record.epoch < known.epoch;
}
