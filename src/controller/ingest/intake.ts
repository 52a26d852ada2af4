import { Rates } from '../../kit/rates.ts';
import { MAX_EVENT_BYTES, type ReadEvent } from '../../protocol/events.ts';
import type { ReadBatch } from '../../protocol/exchange.ts';
import { IDENTIFYING_FACTS } from '../../protocol/facts.ts';
import { redactTexts } from '../../secrets/redact-texts.ts';
import type { CertificateChecker } from '../attest/certificate-checker.ts';
import { WRONG_MACHINE } from '../attest/enrolment.ts';
import type { PresentedPeer } from '../attest/peer.ts';
import { Refused } from '../attest/refused.ts';
import { type NodeRecord, nodeKey } from '../model/node-record.ts';
import { fold, type Phase } from '../model/summary.ts';
import { type Addition, type Store, StoreBudgetExceeded, StoreBusy, storedForm } from '../store/store.ts';
import { bytesOf, MAX_BYTES_PER_CHARACTER } from '../store/write-budget.ts';
import type { Metrics } from '../web/metrics.ts';
import { writeUrgency } from './write-urgency.ts';

/** Most records in memory; the longest quiet one goes first. A record has about 2 kB. */
const MAX_AT_HAND = 20_000;
/** An active machine reports several times a minute; after this time its record is read again. */
const AT_HAND_MS = 2 * 60_000;
/** So much later than what this replica has stored a watch still tells of it. */
const LAG_MS = 30_000;
/** While so many writes are in progress, events that can wait do wait. */
const MAX_WRITING = 4;
/** Most bytes of events in one write: with all that is stored before, an object stays well below etcd's 1.5 MiB. */
const MAX_WRITE_BYTES = 256 * 1024;
/** How often a node is read that is not at hand; one that shows a certificate that counts no more is read each time. */
const READS = { perSecond: 0.5, burst: 20 };
/** Another replica may write between reading and writing; more conflicts than this are no accident. */
const MAX_TRIES = 5;

interface Intake {
  /** Every event of the batch up to and including this number is stored. */
  readonly stored: number;
  readonly fresh: number;
  /** Where the machine stands by what is stored. */
  readonly phase: Phase;
}

/** Accepts batches: each event once and in order. It acknowledges an event when it is stored. */
export class EventIntake {
  readonly #store: Store;
  readonly #bearers: CertificateChecker;
  readonly #metrics: Metrics;
  readonly #appended: (record: NodeRecord) => void;
  /** In order of activity: the longest quiet one first. */
  readonly #atHand = new Map<string, { record: NodeRecord; at: number }>();
  readonly #turn = new Map<string, Promise<unknown>>();
  readonly #reads = new Rates(READS);
  readonly #keepsIdentifiers: boolean;
  #writing = 0;

  /**
   * @param appended called with each record after events were stored (`Management.stored`, wired in serve/kubernetes.ts)
   * @param keepsIdentifiers stores serial numbers, UUIDs and MAC addresses too
   */
  constructor(
    store: Store,
    bearers: CertificateChecker,
    metrics: Metrics,
    appended: (record: NodeRecord) => void = () => {},
    keepsIdentifiers = false,
  ) {
    this.#keepsIdentifiers = keepsIdentifiers;
    this.#store = store;
    this.#bearers = bearers;
    this.#metrics = metrics;
    this.#appended = appended;
  }

  /** @throws Refused, StoreBusy */
  async take(peer: PresentedPeer, batch: ReadBatch): Promise<Intake> {
    const { binding } = peer;
    // One machine's batches in turn: a second one would only find the first one's work done.
    const before = this.#turn.get(binding) ?? Promise.resolve();
    const mine = before.catch(passed).then(() => this.#take(nodeKey(peer), peer, batch));
    this.#turn.set(binding, mine);
    try {
      return await mine;
    } finally {
      if (this.#turn.get(binding) === mine) this.#turn.delete(binding);
    }
  }

  /** Is a newer certificate of the same key at hand? Another replica may know better. */
  knowsNewer(peer: PresentedPeer): boolean {
    const kept = this.#atHand.get(nodeKey(peer))?.record;
    return kept !== undefined && this.#bearers.isReplaced(kept, peer);
  }

  /** Records in memory, for metrics. */
  get atHand(): number {
    return this.#atHand.size;
  }

  async #take(key: string, peer: PresentedPeer, { machine, events: told }: ReadBatch): Promise<Intake> {
    const batch = { machine, events: this.#keepsIdentifiers ? told : told.map(withoutIdentifiers) };
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const record = await this.#record(key, peer);
      if (record.spec.instance !== batch.machine.instance) {
        throw new Refused('forbidden', `the certificate is of instance ${record.spec.instance}`, {
          words: WRONG_MACHINE,
        });
      }
      const all = toAddition(record, batch.events);
      const repeated = batch.events.length - all.events.length;
      if (all.events.length === 0) {
        this.#metrics.eventsRepeated.add({}, repeated);
        return { stored: record.seq, fresh: 0, phase: record.summary.phase };
      }
      if (!this.#mayWrite(record, all)) {
        // Nothing of a new epoch is stored yet.
        return {
          stored: all.epoch === record.epoch ? record.seq : 0,
          fresh: 0,
          phase: record.summary.phase,
        };
      }
      // The agent has cut secrets out; one that is older, or lies, may not have. What waits on the machine comes again, and
      // is looked through when it is stored.
      const addition = partOf(record, cleaned(record, all));
      const after = await this.#append(key, record, addition);
      if (after) {
        this.#metrics.eventsStored.add({}, addition.events.length);
        this.#metrics.eventsRepeated.add({}, repeated);
        this.#appended(after);
        return { stored: after.seq, fresh: addition.events.length, phase: after.summary.phase };
      }
    }
    throw new StoreBusy(`${key} is being written by others all the time`);
  }

  /** A busy API server gets verdicts first; machines soon send the other events again. */
  #mayWrite(record: NodeRecord, { events, summary }: Addition): boolean {
    if (!this.#store.thrifty) return true;
    const due = writeUrgency(record, events, summary, Date.now());
    return due === 'now' || (due === 'if-idle' && this.#writing < MAX_WRITING);
  }

  async #record(key: string, peer: PresentedPeer): Promise<NodeRecord> {
    const kept = this.#atHand.get(key)?.record;
    // What is at hand for the machine that holds the name stays so, whatever certificate somebody else shows.
    const record = kept && this.#bearers.isCurrent(kept, peer) ? kept : await this.#read(key, peer);
    this.#keep(key, record);
    return record;
  }

  #read(key: string, peer: PresentedPeer): Promise<NodeRecord> {
    const retryAfterMs = this.#reads.take(`${key} ${peer.serial}`);
    if (retryAfterMs > 0) throw new Refused('slow-down', `${key} is read all the time`, { retryAfterMs });
    return this.#bearers.admit(peer);
  }

  /**
   * Somebody has changed a node: another replica gave it a certificate, or its place to another machine. Or it was put back
   * to what it was earlier, so what is at hand would acknowledge events that are stored no longer.
   */
  changed(record: NodeRecord): void {
    const key = nodeKey(record);
    const kept = this.#atHand.get(key);
    if (!kept) return;
    const { spec, seq, epoch } = kept.record;
    const { keyDigest, certificate, admission } = record.spec;
    const isSame =
      spec.keyDigest === keyDigest &&
      spec.certificate?.serial === certificate?.serial &&
      spec.admission?.state === admission?.state;
    const isBehind = record.epoch < epoch || (record.epoch === epoch && record.seq < seq);
    const isLagging = performance.now() - kept.at < LAG_MS;
    if (!isSame || (isBehind && !isLagging)) this.#atHand.delete(key);
  }

  /** The node is gone; one that takes its name is another, even with the same key. @param key `namespace/name` */
  forget(key: string): void {
    this.#atHand.delete(key);
  }

  async #append(key: string, record: NodeRecord, addition: Addition): Promise<NodeRecord | undefined> {
    this.#writing += 1;
    try {
      const after = await this.#store.append(record, addition);
      if (after) this.#keep(key, after);
      else this.#atHand.delete(key);
      return after;
    } catch (error) {
      // Perhaps only the answer was lost: the next batch reads what is stored.
      if (!(error instanceof StoreBudgetExceeded)) this.#atHand.delete(key);
      throw error;
    } finally {
      this.#writing -= 1;
    }
  }

  #keep(key: string, record: NodeRecord): void {
    const now = performance.now();
    this.#atHand.delete(key);
    for (const [oldest, { at }] of this.#atHand) {
      if (this.#atHand.size < MAX_AT_HAND && now - at < AT_HAND_MS) break;
      this.#atHand.delete(oldest);
    }
    this.#atHand.set(key, { record, at: now });
  }
}

/**
 * The new events of a batch. Numbers up to the stored one are repetitions, unless they come from an unknown
 * boot: then the node has lost its spool and numbers from 1 again.
 */
export function toAddition(record: NodeRecord, events: readonly ReadEvent[]): Addition {
  const restarted = events.some(({ seq, boot }) => seq <= record.seq && !record.summary.boots.includes(boot));
  const from = restarted ? 0 : record.seq;
  return additionOf(
    record,
    restarted ? record.epoch + 1 : record.epoch,
    events.filter(({ seq }) => seq > from),
  );
}

/** @param fresh events of this epoch, all of them new */
function additionOf(record: NodeRecord, epoch: number, fresh: readonly ReadEvent[]): Addition {
  const from = epoch === record.epoch ? record.seq : 0;
  const missing = fresh.reduce(({ gap, last }, { seq }) => ({ gap: gap + seq - last - 1, last: seq }), {
    gap: 0,
    last: from,
  }).gap;
  const summary = fresh.reduce(fold, record.summary);
  return {
    epoch,
    events: fresh,
    summary: missing === 0 ? summary : { ...summary, lost: summary.lost + missing },
  };
}

/** The same without secrets. There are hardly ever any, and then nothing is summed up again. */
function cleaned(record: NodeRecord, all: Addition): Addition {
  const events = redactTexts(all.events);
  return events === all.events ? all : additionOf(record, all.epoch, events);
}

/** What of it fits into one write; the machine sends the rest again. */
function partOf(record: NodeRecord, all: Addition): Addition {
  if (all.events.length * MAX_EVENT_BYTES * MAX_BYTES_PER_CHARACTER <= MAX_WRITE_BYTES) return all;
  let bytes = 0;
  for (const [at, event] of all.events.entries()) {
    bytes += bytesOf(storedForm(event));
    if (at > 0 && bytes > MAX_WRITE_BYTES) return additionOf(record, all.epoch, all.events.slice(0, at));
  }
  return all;
}

/** The event keeps its number, so that none is missing. */
function withoutIdentifiers(event: ReadEvent): ReadEvent {
  return event.type === 'fact' && IDENTIFYING_FACTS.has(event.name) ? { ...event, value: '' } : event;
}

/** The earlier batch got its own answer. */
function passed(): void {}
