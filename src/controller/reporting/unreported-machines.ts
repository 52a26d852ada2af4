import { Rates } from '../../kit/rates.ts';
import type { MachineIdentity } from '../../protocol/events.ts';
import { boundedText, printable } from '../../protocol/wire.ts';
import type { Refused, RefusedClaim } from '../attest/refused.ts';
import type { KubeClient } from '../kube/client.ts';
import { isStatus } from '../kube/kube-error.ts';
import { type Log, reason } from '../log.ts';
import { writeCondition } from '../machines/condition-writer.ts';
import type { MachineDirectory } from '../machines/directory.ts';
import type { EventRecorder } from '../machines/event-recorder.ts';
import {
  CONDITION,
  type Condition,
  conditionDigest,
  type Machine,
  type MachineVersion,
} from '../machines/machine.ts';
import { WorkQueue } from '../machines/work-queue.ts';
import { rightsRemedy } from '../store/api-errors.ts';
import { neverReported, reportDueMs } from './expectation.ts';

const NEVER_REPORTED = 'NeverReported';
const REPORTING_REFUSED = 'ReportingRefused';
/** A machine that is refused comes again every minute; an Event is there for an hour. */
const TELLING = { perSecond: 1 / 600, burst: 1 };
/** Lines of the log, of all machines together. */
const LOGGING = { perSecond: 20, burst: 100 };
/** Until it looks again in a namespace where it may write nothing. */
const FORBIDDEN_MS = 10 * 60_000;
const MAX_MESSAGE_BYTES = 2048;
/** Reading all of a new leader's Machines at once is no reason to write them all at once. */
const PARALLEL = 4;

interface UnreportedMachinesParts {
  readonly client: KubeClient;
  readonly version: MachineVersion;
  readonly directory: Pick<MachineDirectory, 'all' | 'byUid' | 'byName' | 'match' | 'whyNot'>;
  readonly recorder: Pick<EventRecorder, 'record'>;
  /** A machine has enrolled as this Machine. */
  readonly isHeld: (uid: string) => boolean;
  readonly isManagedNamespace: (namespace: string) => boolean;
  readonly isPaused: (machine: Machine) => boolean;
  readonly log: Log;
}

/**
 * Says on Machines that nobody has reported for why that may be: as long as no machine has enrolled, nobody else writes their condition.
 */
export class UnreportedMachines {
  readonly #parts: UnreportedMachinesParts;
  readonly #queue: WorkQueue;
  readonly #told = new Rates(TELLING);
  readonly #logged = new Rates(LOGGING);
  readonly #forbidden = new Rates(TELLING);
  /** By UID, why a machine was refused that only calls itself by this Machine's name. It counts when the Machine is overdue. */
  readonly #claimed = new Map<string, string>();
  /** By UID, when its Node was first seen, by a clock that nobody sets; `undefined` while it has none. */
  readonly #nodeSince = new Map<string, number | undefined>();
  #leads = false;

  constructor(parts: UnreportedMachinesParts) {
    this.#parts = parts;
    this.#queue = new WorkQueue((key) => this.#look(key), {
      parallel: PARALLEL,
      failed: (machine, error, retryInMs) =>
        parts.log.warn('a condition could not be written', { machine, reason: reason(error), retryInMs }),
    });
  }

  lead(leads: boolean): void {
    this.#leads = leads;
    if (leads) this.lookAtAll();
  }

  /** What a namespace asks for has changed. */
  lookAtAll(namespace?: string): void {
    for (const machine of this.#parts.directory.all())
      if (namespace === undefined || machine.namespace === namespace) this.#add(machine);
  }

  machineChanged(machine: Machine): void {
    const { uid, nodeName } = machine;
    if (nodeName === undefined) this.#nodeSince.set(uid, undefined);
    else if (this.#nodeSince.has(uid) && this.#nodeSince.get(uid) === undefined)
      this.#nodeSince.set(uid, performance.now());
    this.#add(machine);
  }

  machineGone({ namespace, name, uid }: Machine): void {
    this.#nodeSince.delete(uid);
    this.#claimed.delete(uid);
    this.#queue.forget(`${namespace}/${name}`);
  }

  /** A genuine token did not let its machine in. Each replica says so of what it refused. */
  refused(claim: RefusedClaim, identity: MachineIdentity, refused: Refused): void {
    const machine = this.#machineOf(claim, identity);
    const { log, recorder } = this.#parts;
    const name = machine && `${machine.namespace}/${machine.name}`;
    const what = refused.isSecondHolder ? 'TokenUsedTwice' : REPORTING_REFUSED;
    // Whoever is refused for one reason hides nothing of another.
    if (machine && this.#told.take(`${machine.uid} ${what}`) > 0) return;
    if (this.#logged.take('') === 0)
      log.warn('a genuine token was refused', {
        ...{ machine: name, hostname: identity.hostname, reason: refused.message },
      });
    if (!machine) return;
    const message = boundedText(printable(refused.words ?? refused.message), MAX_MESSAGE_BYTES);
    if (claim.machineUid === undefined) {
      // Anybody who has the token of a pool may call himself so.
      this.#claimed.set(machine.uid, message);
      this.#add(machine);
      return;
    }
    const failed = (error: unknown): void =>
      log.warn('an Event or a condition could not be written', { machine: name, reason: reason(error) });
    recorder.record(machine, { type: 'Warning', reason: what, message }).catch(failed);
    if (!this.#isOpen(machine)) return;
    const condition = { type: CONDITION, status: 'Unknown', reason: REPORTING_REFUSED, message } as const;
    this.#write(machine, condition).catch(failed);
  }

  async stop(): Promise<void> {
    await this.#queue.stop();
  }

  #add({ namespace, name }: Machine): void {
    if (this.#leads) this.#queue.add(`${namespace}/${name}`);
  }

  async #look(key: string): Promise<void> {
    const { directory, isManagedNamespace } = this.#parts;
    const machine = directory.byName(...(key.split('/') as [string, string]));
    if (!this.#leads || !machine || !this.#isOpen(machine)) return;
    // Why it was refused says more.
    if (machine.said === `Unknown ${REPORTING_REFUSED}`) return;
    const since = this.#nodeSince.get(machine.uid);
    const dueMs = reportDueMs(machine, {
      isManagedNamespace: isManagedNamespace(machine.namespace),
      nodeForMs: since === undefined ? undefined : performance.now() - since,
    });
    if (dueMs === undefined) return;
    if (dueMs > 0) return this.#queue.later(key, dueMs);
    const claimed = this.#claimed.get(machine.uid);
    const what = claimed === undefined ? NEVER_REPORTED : REPORTING_REFUSED;
    const message = claimed === undefined ? neverReported(machine) : `${CALLS_ITSELF_SO} ${claimed}`;
    const condition = { type: CONDITION, status: 'Unknown', reason: what, message } as const;
    if (machine.condition === conditionDigest(condition)) return;
    try {
      await this.#write(machine, condition);
      await this.#parts.recorder.record(machine, { type: 'Warning', reason: what, message });
    } catch (error) {
      if (!isStatus(error, 403)) throw error;
      this.#putOff(key, machine.namespace, error);
    }
  }

  #putOff(key: string, namespace: string, error: Error): void {
    if (this.#forbidden.take(namespace) === 0) {
      const why = `${error.message}; ${rightsRemedy(namespace)}`;
      this.#parts.log.warn('conditions may not be written in a namespace', { namespace, reason: why });
    }
    this.#queue.later(key, FORBIDDEN_MS);
  }

  /** Nobody has enrolled as it, and what it says is not what somebody told before. */
  #isOpen(machine: Machine): boolean {
    const { isHeld, isPaused } = this.#parts;
    const isOurs = machine.said === undefined || OWN.includes(machine.said);
    return isOurs && !machine.deleting && !isHeld(machine.uid) && !isPaused(machine);
  }

  #write(machine: Machine, condition: Condition): Promise<boolean> {
    const { client, version } = this.#parts;
    return writeCondition(client, version, machine, condition);
  }

  #machineOf(claim: RefusedClaim, identity: MachineIdentity): Machine | undefined {
    const { directory } = this.#parts;
    if (claim.machineUid !== undefined) return directory.byUid(claim.machineUid);
    const match = directory.match(claim, identity);
    const isOne = match && directory.whyNot(match.machine, match.by, claim) === undefined;
    return isOne ? match.machine : undefined;
  }
}

const CALLS_ITSELF_SO =
  'A machine that says it is this Machine, by its host name or provider ID, was refused.';

const OWN: readonly string[] = [`Unknown ${NEVER_REPORTED}`, `Unknown ${REPORTING_REFUSED}`];
