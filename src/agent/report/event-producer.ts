import { digest } from '../../kit/digest.ts';
import { errorMessage } from '../../kit/errors.ts';
import type { EventBody, FindingEvent, SlipwayEvent } from '../../protocol/events.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { REPORT_DIR, SENTINEL } from '../document/paths.ts';
import { codeOf } from '../engine/failure.ts';
import { readOutcome } from '../engine/read-outcome.ts';
import type { Facts } from '../facts/reading/facts.ts';
import { type Host, HostError } from '../host/host.ts';
import { createDraft } from './events/draft.ts';
import { JournalEvents } from './events/from-journal.ts';
import type { Log } from './events/log.ts';
import type { Spool } from './spool/spool.ts';
import { agentProcess } from './watch/agent-process.ts';
import { AgentWatch, type Loss } from './watch/agent-watch.ts';
import type { Observation } from './watch/boot/observed-sequence.ts';
import { firstFacts } from './watch/facts.ts';
import { JournalTail } from './watch/journal-tail.ts';
import { lossCause } from './watch/loss-cause.ts';
import type { NodeObservation } from './watch/observe-node.ts';
import type { ReportedFacts } from './watch/reported-facts.ts';
import { sequenceEndedEvent } from './watch/sequence-ended-event.ts';

/** A block of a file system: less may still fit although a record does not. */
const PROBE = `${REPORT_DIR}/probe`;
const PROBE_BYTES = 4096;

interface EventProducerOptions {
  host: Host;
  spool: Spool;
  log: Log;
  boot: string;
  instance: string;
}

/** Turns what it sees on the machine into events in the spool: each once, however often it looks. */
export class EventProducer {
  readonly #o: EventProducerOptions;
  readonly #tail: JournalTail;
  readonly #agent = new AgentWatch();
  #events: JournalEvents;
  #isKnownJournal = false;
  #ended = new Set<string>();
  /** Facts of this boot, by name, as they were last told. */
  readonly #told = new Map<string, string>();
  /** A verdict may be all that there is of a run: bad user data leaves nothing in the journal. */
  #sawOutcome = false;

  constructor(options: EventProducerOptions) {
    this.#o = options;
    this.#tail = new JournalTail(options.host);
    this.#events = this.#newEvents();
  }

  /** A Slipway agent has been at work in this boot. */
  get hasRun(): boolean {
    return this.#sawOutcome || this.#events.run?.boot === this.#o.boot || this.#agent.isAwaited;
  }

  /** An agent is at work now. */
  get isWorking(): boolean {
    return this.#agent.isAwaited;
  }

  /** The last event of this boot that says how the bootstrap stands. */
  get standing(): SlipwayEvent | undefined {
    return this.#o.spool.last(
      ({ type, boot }) =>
        boot === this.#o.boot &&
        ['sequence.started', 'sequence.ended', 'agent.lost', 'node.reset'].includes(type),
    );
  }

  /** Journal and outcome: what the agent itself tells. */
  async recordJournalAndOutcome(): Promise<void> {
    // The agent writes the end of a sequence into the journal before it writes the outcome. So look at the outcome first.
    const outcome = await readOutcome(this.#o.host);
    await this.#recordJournal();
    if (outcome) await this.#recordOutcome(outcome);
  }

  /** Is the agent's process alive and at work? */
  async recordAgentState(): Promise<void> {
    const { host, boot } = this.#o;
    const seen = await agentProcess(host);
    if (!seen || seen.state === 'gone') await this.recordJournalAndOutcome();
    const outcome = (await readOutcome(host)) !== undefined;
    const news = this.#agent.look(host.clock.monotonic(), seen, this.#events.run, outcome, boot);
    if (news.kind === 'lost') await this.#recordLoss(news.loss);
    if (news.kind === 'back') await this.#recordReturn();
  }

  /** @returns whether Cluster API's sentinel is there */
  async recordSentinel(): Promise<boolean> {
    const { host, spool, boot } = this.#o;
    const key = `sentinel:${boot}`;
    if (spool.has(key)) return true;
    if (!(await host.files.stat(SENTINEL))) return false;
    await this.#once(key, [{ type: 'sentinel.seen', path: SENTINEL }]);
    return true;
  }

  async recordFirstFacts(version: string): Promise<void> {
    const { host, boot } = this.#o;
    await this.#once(`facts:${boot}`, await firstFacts(host, version));
  }

  /**
   * What the machine is: after the bootstrap, when nobody waits for the time that it takes. Once in a boot, and again
   * what has changed since.
   */
  async recordMachineFacts(withIdentifiers: boolean): Promise<void> {
    const { reportedFacts } = await import('./watch/reported-facts.ts');
    await this.#recordChanged('machine', reportedFacts(await this.#facts(), withIdentifiers));
  }

  async recordNode({ observed, capacity }: NodeObservation): Promise<void> {
    const { boot } = this.#o;
    // A cloud controller may set the provider ID after the Node was seen.
    await this.#once(`node:${boot}:${observed.state}:${observed.providerID ?? ''}`, [observed]);
    if (capacity === undefined) return;
    const { capacityFacts } = await import('./watch/reported-facts.ts');
    await this.#recordChanged('capacity', capacityFacts(capacity, await this.#facts()));
  }

  async #facts(): Promise<Facts> {
    return (await import('../facts/gather.ts')).gatherFacts(this.#o.host);
  }

  async #recordChanged(what: string, facts: ReportedFacts): Promise<void> {
    const news = [...facts].filter(([name, value]) => this.#told.get(name) !== value);
    if (news.length === 0) return;
    const key = `${what}:${this.#o.boot}:${digest([...facts])}`;
    await this.#once(
      key,
      news.map(([name, value]) => ({ type: 'fact', name, value })),
    );
    for (const [name, value] of news) this.#told.set(name, value);
  }

  async recordObservation({ key, bodies }: Observation): Promise<void> {
    await this.#once(key, bodies);
  }

  async tell(body: EventBody): Promise<void> {
    await this.#o.spool.add([await createDraft(this.#o.host, body)]);
  }

  async #once(key: string, bodies: readonly EventBody[]): Promise<void> {
    const { host, spool } = this.#o;
    if (spool.has(key)) return;
    await spool.add(await Promise.all(bodies.map((body) => createDraft(host, body))), { key });
  }

  async #recordJournal(): Promise<void> {
    const { spool, log } = this.#o;
    const { records, id, replaced } = await this.#tail.poll();
    if (replaced) this.#events = this.#newEvents();
    const told = spool.told(id);
    this.#isKnownJournal ||= told > 0;
    for (const record of records) {
      try {
        const drafts = this.#events.take(record);
        if (record.type === 'sequence.ended') this.#ended.add(record.sequence);
        if (record.seq > told && drafts.length > 0)
          await spool.add(drafts, { journal: { id, seq: record.seq } });
      } catch (error) {
        // A record that makes no sense must not hold up the ones after it.
        log(`record ${record.seq} of the journal cannot be reported: ${errorMessage(error)}`);
      }
    }
  }

  /** Verdicts that the journal has no record of. */
  async #recordOutcome(outcome: Outcome): Promise<void> {
    const { boot, spool, host } = this.#o;
    if (outcome.boot !== boot) return;
    this.#sawOutcome = true;
    if (this.#ended.has(outcome.sequence)) return;
    const key = `outcome:${boot}:${outcome.endedAt}`;
    if (spool.has(key)) return;
    const findings = outcome.sequence === '' ? outcome.findings : [];
    const bodies: EventBody[] = [
      ...findings.map((finding) => ({ type: 'finding' as const, ...finding })),
      sequenceEndedEvent(outcome),
    ];
    await spool.add(await Promise.all(bodies.map((body) => createDraft(host, body))), { key });
  }

  async #recordLoss(loss: Loss): Promise<void> {
    const { host, boot, spool } = this.#o;
    if (spool.has(loss.key)) return;
    const trouble = loss.silent ? await this.#whyNothingIsWritten() : undefined;
    if (trouble) {
      // The agent cannot write that it is alive; the full disk is the news, once.
      await this.#once(`unwritable:${boot}:${trouble.code}`, [trouble]);
      return;
    }
    const cause = await lossCause(host, loss);
    const run = this.#events.run;
    const mine = run?.boot === boot && run.pid === loss.pid ? run : undefined;
    await this.#once(loss.key, [
      {
        type: 'agent.lost',
        sequence: mine?.sequence || boot,
        pid: loss.pid,
        ...(mine?.step ? { step: mine.step } : {}),
        ...cause,
      },
    ]);
  }

  /** Does the journal's file system take anything at all? */
  async #whyNothingIsWritten(): Promise<FindingEvent | undefined> {
    const { files } = this.#o.host;
    try {
      await files.write(PROBE, '.'.repeat(PROBE_BYTES), { mode: 0o600 });
      await files.remove(PROBE);
      return undefined;
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      const message = `The journal of the bootstrap cannot be written: ${error.message}.`;
      return { type: 'finding', severity: 'warning', code: codeOf(error, 'JournalNotWritten'), message };
    }
  }

  async #recordReturn(): Promise<void> {
    const run = this.#events.run;
    this.#events.reportNextHeartbeat();
    if (run) {
      const { sequence, step } = run;
      await this.tell({ type: 'heartbeat', sequence: sequence || run.boot, ...(step ? { step } : {}) });
    }
  }

  #newEvents(): JournalEvents {
    const { boot, instance, log } = this.#o;
    this.#ended = new Set();
    return new JournalEvents((record) => {
      const isMine = record.boot === boot || record.instance === instance || this.#isKnownJournal;
      if (!isMine)
        log(
          `the journal's run of instance ${record.instance} does not belong to this machine; it is not reported`,
        );
      return isMine;
    });
  }
}
