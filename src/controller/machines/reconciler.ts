import { BACKOFF, backoffMs } from '../../kit/backoff.ts';
import type { KubeClient } from '../kube/client.ts';
import type { Log } from '../log.ts';
import { reason } from '../log.ts';
import { type NodeRecord, nodeKey } from '../model/node-record.ts';
import type { Metrics } from '../web/metrics.ts';
import { ChangeThrottle } from './change-throttle.ts';
import { BOOTSTRAPPED, conditionOf, SILENT, SILENT_MS } from './condition.ts';
import { writeCondition } from './condition-writer.ts';
import type { MachineDirectory } from './directory.ts';
import type { EventRecorder } from './event-recorder.ts';
import {
  type Condition,
  conditionDigest,
  conditionText,
  type Machine,
  type MachineVersion,
} from './machine.ts';
import { tieToMachine } from './tie-to-machine.ts';
import { WorkQueue } from './work-queue.ts';

/** Upper bound on how often to write mere progress (step, elapsed time). */
const SPARING_MS = 2 * 60_000;
/**
 * A condition that goes to True or False, or back, makes others act: they replace the Machine. A machine
 * that does it all the time gets a dozen changes in the first hour, then two an hour.
 */
const VERDICTS = { free: 6, firstMs: 60_000, capMs: 30 * 60_000 };
/** Running, Silent, or why an attempt failed: only people see these. */
const PROGRESS = { free: 20, firstMs: 30_000, capMs: SPARING_MS };
/** A silent machine gets a condition only when its first events should have arrived. */
const WAITING_MS = 30_000;

interface ReconcilerParts {
  readonly client: KubeClient;
  readonly version: MachineVersion;
  readonly directory: MachineDirectory;
  readonly isPaused: (machine: Machine) => boolean;
  readonly recorder: EventRecorder;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** What a node's Machine should say; a few hundred bytes per node. */
interface Wanted {
  record: NodeRecord;
  // Times are of the monotonic clock: setting the clock by an hour makes nobody silent.
  /** When its phase last changed. */
  verdictAt: number;
  /** When this replica last learnt something new about it, or first saw it. */
  heardAt: number;
  wroteAt: number;
  /** Digest of the last written condition, and its status with reason. */
  wrote: string | undefined;
  said: string | undefined;
  /** The Machine's when the condition was made last. */
  providerID: string | undefined;
  /** How often it was corrected since it last had something new to say. */
  fights: number;
  readonly verdicts: ChangeThrottle;
  readonly progress: ChangeThrottle;
}

/**
 * Turns NodeBootstraps into conditions of Machines. Only the leading replica writes; the others keep the same
 * picture, so that taking over costs nothing.
 */
export class Reconciler {
  readonly #parts: ReconcilerParts;
  readonly #nodes = new Map<string, Wanted>();
  /** Machine (namespace/name) to node. */
  readonly #nodeOf = new Map<string, string>();
  /** Nodes without a Machine. Without this set, a new Machine would cost more the more nodes there are. */
  readonly #untied = new Set<string>();
  readonly #queue: WorkQueue;
  #leads = false;

  constructor(parts: ReconcilerParts) {
    this.#parts = parts;
    this.#queue = new WorkQueue((key) => this.#reconcile(key), {
      parallel: 8,
      failed: (key, error, retryInMs) => {
        parts.metrics.conditionFailures.add();
        parts.log.warn('a condition could not be written', { node: key, reason: reason(error), retryInMs });
      },
    });
  }

  get size(): number {
    return this.#nodes.size;
  }

  /** Nodes that are no Machine's. */
  *untied(): Iterable<NodeRecord> {
    for (const key of this.#untied) {
      const node = this.#nodes.get(key);
      if (node) yield node.record;
    }
  }

  get waiting(): number {
    return this.#queue.length;
  }

  lead(leads: boolean): void {
    this.#leads = leads;
    if (leads) for (const key of this.#nodes.keys()) this.#queue.add(key);
  }

  nodeChanged(record: NodeRecord): void {
    const key = nodeKey(record);
    const before = this.#nodes.get(key);
    if (before && isOlder(record, before.record)) return;
    const after = slim(record);
    const urgent = before !== undefined && before.record.summary.phase !== after.summary.phase;
    const now = performance.now();
    if (before) {
      if (before.record.seq !== after.seq || before.record.epoch !== after.epoch) before.heardAt = now;
      before.record = after;
      if (urgent) before.verdictAt = now;
    } else {
      // Not the stored time: the clock behind it may be another one, or may have been set since.
      this.#nodes.set(key, {
        ...{ record: after, verdictAt: now, heardAt: now, wroteAt: Number.NEGATIVE_INFINITY },
        ...{ wrote: undefined, said: undefined, providerID: undefined, fights: 0 },
        ...{ verdicts: new ChangeThrottle(VERDICTS), progress: new ChangeThrottle(PROGRESS) },
      });
    }
    if (after.spec.machine) {
      this.#nodeOf.set(`${after.namespace}/${after.spec.machine.name}`, key);
      this.#untied.delete(key);
    } else this.#untied.add(key);
    if (this.#leads) this.#queue.add(key, urgent);
  }

  nodeGone(key: string): void {
    const machine = this.#nodes.get(key)?.record.spec.machine;
    if (machine) this.#nodeOf.delete(`${key.split('/')[0]}/${machine.name}`);
    this.#nodes.delete(key);
    this.#untied.delete(key);
    this.#queue.forget(key);
  }

  machineChanged(machine: Machine): void {
    const key = this.#nodeOf.get(`${machine.namespace}/${machine.name}`);
    if (key !== undefined) {
      const wanted = this.#nodes.get(key);
      // Our own writes come back over the watch; only changes by others need another look.
      const isNews = wanted && (isTouched(machine, wanted) || machine.providerID !== wanted.providerID);
      if (this.#leads && isNews) this.#queue.add(key);
      return;
    }
    if (!this.#leads) return;
    const within = `${machine.namespace}/`;
    for (const node of this.#untied) if (node.startsWith(within)) this.#queue.add(node);
  }

  /** Its Machine is not paused any more. */
  machineResumed({ namespace, name }: Machine): void {
    const key = this.#nodeOf.get(`${namespace}/${name}`);
    if (this.#leads && key !== undefined) this.#queue.add(key);
  }

  async stop(): Promise<void> {
    await this.#queue.stop();
  }

  async #reconcile(key: string): Promise<void> {
    const wanted = this.#nodes.get(key);
    if (!wanted || !this.#leads) return;
    const { machine: tie } = wanted.record.spec;
    if (!tie) return this.#tie(wanted.record);
    const machine = this.#parts.directory.byName(wanted.record.namespace, tie.name);
    if (!machine || machine.uid !== tie.uid || machine.deleting || this.#parts.isPaused(machine)) return;
    // A claim from before the Machine demanded a proof says nothing about the Machine any more.
    if (this.#parts.directory.objection(wanted.record.spec) !== undefined) return;
    // An earlier controller has already waited long enough for it.
    if (wanted.said === undefined && machine.said === SILENT) wanted.heardAt = Number.NEGATIVE_INFINITY;
    const heardMs = performance.now() - wanted.heardAt;
    const { summary, storedAt } = wanted.record;
    wanted.providerID = machine.providerID;
    const condition = conditionOf(summary, heardMs, storedAt, machine.providerID);
    // What another node said of this Machine does not wait.
    const isSaid = machine.status !== undefined && machine.status !== 'Unknown';
    if (condition.reason === 'Waiting' && heardMs < WAITING_MS && !isSaid) {
      this.#queue.later(key, WAITING_MS);
      return;
    }
    if (conditionText(condition) === wanted.said) return this.#sparingly(key, wanted, machine, condition);
    const said = wanted.said ?? machine.said;
    const isVerdict = condition.status !== 'Unknown' || (said !== undefined && !said.startsWith('Unknown '));
    const damper = isVerdict ? wanted.verdicts : wanted.progress;
    const waitMs = damper.waitMs(performance.now());
    // The latest state wins: it is looked at again then.
    if (waitMs > 0) return this.#damp(key, machine, waitMs);
    wanted.fights = 0;
    if (await this.#write(key, wanted, machine, condition)) damper.changed(performance.now());
  }

  #damp(key: string, machine: Machine, waitInMs: number): void {
    this.#parts.metrics.conditionsDamped.add();
    this.#parts.log.debug('a machine changes its mind too often', { machine: machine.name, waitInMs });
    this.#queue.later(key, waitInMs);
  }

  /** The verdict is unchanged; only its words have moved on, or somebody else has changed it. */
  async #sparingly(key: string, wanted: Wanted, machine: Machine, condition: Condition): Promise<void> {
    const age = performance.now() - wanted.wroteAt;
    // Without jitter: only the leader writes, so no other replica of ours comes at the same moment.
    const peaceMs = backoffMs(wanted.fights + 1, BACKOFF.fight, () => 0);
    if (isTouched(machine, wanted)) {
      if (age < peaceMs) return this.#queue.later(key, peaceMs - age);
      wanted.fights += 1;
      await this.#write(key, wanted, machine, condition);
    } else if (
      condition.status === 'Unknown' &&
      age >= SPARING_MS &&
      conditionDigest(condition) !== wanted.wrote
    ) {
      await this.#write(key, wanted, machine, condition);
    }
    this.#lookAgain(key, wanted);
  }

  /** @returns was there something to write, and a Machine to write it on? */
  async #write(key: string, wanted: Wanted, machine: Machine, condition: Condition): Promise<boolean> {
    const { client, version, metrics } = this.#parts;
    const digest = conditionDigest(condition);
    // After a change of leaders, most conditions are already right.
    const isNew = machine.condition !== digest;
    if (isNew) {
      if (!(await writeCondition(client, version, machine, condition))) return false;
      metrics.conditions.add({ status: condition.status });
      if (condition.status !== 'Unknown')
        metrics.conditionLatency.observe((performance.now() - wanted.verdictAt) / 1000);
      await this.#tell(machine, condition);
    }
    wanted.wrote = digest;
    wanted.said = conditionText(condition);
    wanted.wroteAt = performance.now();
    this.#lookAgain(key, wanted);
    return isNew;
  }

  #lookAgain(key: string, { record }: Wanted): void {
    if (record.summary.phase === 'Running') this.#queue.later(key, SILENT_MS / 2);
  }

  async #tell(machine: Machine, { status, reason: code, message }: Condition): Promise<void> {
    if (status === 'Unknown' || code === BOOTSTRAPPED) return;
    try {
      await this.#parts.recorder.record(machine, { type: 'Warning', reason: code, message });
    } catch (error) {
      // The condition is written; the Event is only a courtesy.
      this.#parts.log.warn('an Event could not be written', { machine: machine.name, reason: reason(error) });
    }
  }

  /** Ties a node to its Machine, which was unknown when the node enrolled. */
  async #tie({ namespace, name, spec }: NodeRecord): Promise<void> {
    const { directory, client, log } = this.#parts;
    const { selector } = spec.enrolment;
    const match = directory.match({ namespace, ...(selector ? { selector } : {}) }, spec);
    if (!match || directory.whyNot(match.machine, match.by, { selector }) !== undefined) return;
    const { machine, by } = match;
    if (directory.isUnread(machine)) return;
    const holder = this.#nodeOf.get(`${namespace}/${machine.name}`);
    if (holder !== undefined && this.#nodes.get(holder)?.record.spec.keyDigest !== spec.keyDigest) return;
    const node = { namespace, name, keyDigest: spec.keyDigest };
    if (!(await tieToMachine(client, node, machine, { name: machine.name, uid: machine.uid, by }))) return;
    log.info('tied a node to its Machine', { node: `${namespace}/${name}`, machine: machine.name, by });
  }
}

/**
 * Tells whether the condition says something else than we wrote. For a running bootstrap, words alone do not
 * count: another controller of the same machines computes the elapsed time a little differently, and the two
 * would correct each other for ever.
 */
function isTouched(machine: Machine, { wrote, said }: Wanted): boolean {
  if (machine.condition === wrote) return false;
  return machine.status !== 'Unknown' || machine.said !== said;
}

/** The watch lags behind what this replica has stored, and may still report the past. */
function isOlder(record: NodeRecord, known: NodeRecord): boolean {
  if (record.spec.enrolment.at !== known.spec.enrolment.at) return false;
  return record.epoch === known.epoch ? record.seq < known.seq : record.epoch < known.epoch;
}

/** Drops what nobody needs here: the steps of a finished bootstrap, and the kept verdict, which says the same again. */
function slim(record: NodeRecord): NodeRecord {
  const { summary } = record;
  const { verdict: _, ...spec } = record.spec;
  if (summary.phase !== 'Succeeded' && summary.phase !== 'Failed') return { ...record, spec };
  const { facts: __, ...rest } = summary;
  return {
    ...record,
    spec,
    summary: {
      ...rest,
      steps: summary.steps.filter(({ attempts, id }) => attempts > 1 || id === summary.step),
    },
  };
}
