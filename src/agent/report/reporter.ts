import { errorMessage } from '../../kit/errors.ts';
import type { Code } from '../../protocol/codes/codes.ts';
import type { MachineIdentity, SlipwayEvent } from '../../protocol/events.ts';
import { KUBELET_KUBECONFIG } from '../cluster/kubelet-identity.ts';
import { RUN_DIR } from '../document/paths.ts';
import { machineInstance } from '../engine/instance.ts';
import { type Host, HostError } from '../host/host.ts';
import { loadSettings, SettingsSource } from '../settings/load-settings.ts';
import { describeProblem, type Settings } from '../settings/settings.ts';
import { readCursor } from './cursor.ts';
import { endReason } from './end-reason.ts';
import { EventProducer } from './event-producer.ts';
import type { Log } from './events/log.ts';
import { Spool } from './spool/spool.ts';
import { ReporterLock } from './state/reporter-lock.ts';
import { TransportSet } from './transport-set.ts';
import { TRANSPORTS } from './transports/transport.ts';
import { expectsSlipway } from './watch/boot/expects-slipway.ts';
import { isIgnitionPending } from './watch/boot/ignition.ts';
import { observeNode } from './watch/observe-node.ts';
import { Observer } from './watch/observer.ts';

/** How often each thing is looked at. The agent's own words matter most and cost least. */
const TICK_MS = 200;
const EVERY = { fate: 400, outside: 1000, settings: 1000, node: 2000, trim: 60_000 };
/** There where the machine was a node before this boot. */
const JOINED = `${RUN_DIR}/report/joined`;
/** A machine that is a node already has nothing to bootstrap; the reporter does not wait for it long. */
const JOINED_IDLE_MS = 120_000;
/** What is under way when the machine shuts down gets this long; the rest is sent after the next boot. */
const STOP_MS = 2000;

interface ReporterOptions {
  host: Host;
  version: string;
  log: Log;
  /** Aborts when the reporter is told to stop. */
  stop: AbortSignal;
}

/**
 * Reports until there is nothing left to report. It survives whatever happens to the bootstrap and never touches it.
 *
 * @returns why it ended
 * @throws HostError only where nothing can be read at all
 */
export async function report(options: ReporterOptions): Promise<string> {
  const { settings } = await loadSettings(options.host);
  if (!settings.enabled) return 'reporting is switched off (report.enabled)';
  const reporter = await Reporter.open(options, settings);
  try {
    return await reporter.run();
  } finally {
    await reporter.close();
  }
}

/** That a reporter that is started again in this boot does not wait for a bootstrap either. */
async function keepJoined(host: Host): Promise<void> {
  try {
    await host.files.write(JOINED, '', { mode: 0o600 });
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
  }
}

class Reporter {
  readonly #o: ReporterOptions;
  readonly #spool: Spool;
  readonly #producer: EventProducer;
  readonly #transports: TransportSet;
  readonly #observer: Observer;
  readonly #source: SettingsSource;
  readonly #boot: string;
  readonly #lock: ReporterLock;
  /** Since when nothing has been going on that could become a bootstrap. */
  #idleSince: number;
  /** It was a node before this boot began. */
  readonly #wasJoined: boolean;
  readonly #learnt: { providerID?: string };
  readonly #due = new Map<string, number>();
  /** What each watcher stumbled over last. */
  readonly #troubles = new Map<string, string>();
  #settings: Settings;
  #problems = '';
  #nodeReady = false;
  #toldMachine = false;
  #looking: Promise<void> | undefined;
  #endSince: number | undefined;

  static async open(options: ReporterOptions, settings: Settings): Promise<Reporter> {
    const { host } = options;
    const instance = await machineInstance(host);
    const boot = await host.bootId();
    const learnt: { providerID?: string } = {};
    const machine = (): MachineIdentity => ({
      instance,
      hostname: host.hostname() || 'localhost',
      ...learnt,
    });
    const positions = Object.entries(TRANSPORTS).map(([name, reliable]) =>
      readCursor(host, name, reliable, instance),
    );
    const spool = await Spool.open(host, machine, Math.max(...(await Promise.all(positions))));
    const isRestart = spool.last((event) => event.boot === boot) !== undefined;
    const wasJoined = isRestart
      ? (await host.files.stat(JOINED)) !== undefined
      : (await host.files.stat(KUBELET_KUBECONFIG)) !== undefined && !(await isIgnitionPending(host));
    if (wasJoined && !isRestart) await keepJoined(host);
    return new Reporter(
      options,
      { settings, instance, boot, learnt, machine, spool, wasJoined },
      await expectsSlipway(host),
    );
  }

  private constructor(
    options: ReporterOptions,
    state: {
      settings: Settings;
      instance: string;
      boot: string;
      learnt: { providerID?: string };
      machine: () => MachineIdentity;
      spool: Spool;
      wasJoined: boolean;
    },
    slipwayExpected: boolean,
  ) {
    const { host, log, version } = options;
    const { boot, instance, spool, machine } = state;
    this.#o = options;
    this.#settings = state.settings;
    this.#learnt = state.learnt;
    this.#boot = boot;
    this.#spool = spool;
    this.#wasJoined = state.wasJoined;
    this.#idleSince = host.clock.monotonic();
    this.#producer = new EventProducer({ host, spool, log, boot, instance });
    this.#source = new SettingsSource(host);
    this.#observer = new Observer(host, boot, slipwayExpected);
    this.#lock = new ReporterLock(host);
    const lost = (event: SlipwayEvent, why: string) => {
      log(why);
      // The news of a loss that is refused in turn is only logged.
      if (event.type === 'events.lost') return;
      void this.#guard('events', () => this.#producer.tell({ type: 'events.lost', count: 1, why }));
    };
    const alone = this.#lock.taken;
    this.#transports = new TransportSet({ host, spool, log, machine, version, lost, alone });
  }

  async run(): Promise<string> {
    const { host, stop, version } = this.#o;
    await this.#guard('settings', () => this.#reload());
    await this.#guard('facts', () => this.#producer.recordFirstFacts(version));
    for (;;) {
      const reason = await this.#tick();
      if (reason !== undefined) return reason;
      if (stop.aborted) return await this.#stopped();
      await host.clock.sleep(TICK_MS, stop);
    }
  }

  async close(): Promise<void> {
    const acknowledged = this.#transports.acknowledged ?? 0;
    await this.#transports.close();
    await this.#looking;
    await this.#spool.trim(acknowledged, this.#boot);
    await this.#spool.close();
    await this.#lock.release();
  }

  /** @returns why there is nothing left to do, once that is so and everybody has everything */
  async #tick(): Promise<string | undefined> {
    const producer = this.#producer;
    await this.#guard('journal', () => producer.recordJournalAndOutcome());
    await this.#every('fate', () => producer.recordAgentState());
    await this.#guard('machine', () => this.#recordMachineFacts());
    await this.#every('outside', () => this.#lookAround());
    await this.#every('settings', () => this.#reload());
    await this.#every('node', async () => this.#lookAtNode());
    await this.#every('trim', () => this.#trim());
    const now = this.#o.host.clock.monotonic();
    const reason = this.#endReason(now);
    if (reason === undefined) this.#endSince = undefined;
    else if (this.#endSince === undefined) {
      // A bootstrap that fails at once is over before its own files, which name the receivers, were looked at.
      await this.#guard('settings', () => this.#reload());
      // A Node may be Ready before the sentinel was looked for a first time.
      await this.#guard('outside', async () => void (await this.#producer.recordSentinel()));
      this.#endSince = now;
    }
    return this.#endSince !== undefined && this.#transports.isDone(now - this.#endSince) ? reason : undefined;
  }

  #endReason(now: number): string | undefined {
    const { idleSeconds, nodeSeconds } = this.#settings;
    const idleMs = idleSeconds * 1000;
    return endReason({
      now,
      idleSince: this.#idleSince,
      last: this.#producer.standing,
      working: this.#producer.isWorking,
      nodeSettled: this.#nodeReady || nodeSeconds === 0,
      idleMs: this.#wasJoined ? Math.min(idleMs, JOINED_IDLE_MS) : idleMs,
      nodeMs: nodeSeconds * 1000,
    });
  }

  /** When the bootstrap is over, however it ended. */
  async #recordMachineFacts(): Promise<void> {
    if (this.#toldMachine || this.#producer.standing?.type !== 'sequence.ended') return;
    this.#toldMachine = true;
    await this.#producer.recordMachineFacts(this.#settings.identifiers);
  }

  async #lookAround(): Promise<void> {
    const sentinel = await this.#producer.recordSentinel();
    if (this.#spool.trouble) await this.#spool.save();
    if (this.#producer.hasRun || this.#wasJoined) return;
    for (const observation of await this.#observer.look(sentinel)) {
      await this.#producer.recordObservation(observation);
    }
    if (this.#observer.isUnderWay) this.#idleSince = this.#o.host.clock.monotonic();
  }

  /** In the background: a server that does not answer must not hold up the rest. */
  #lookAtNode(): void {
    const { nodeSeconds } = this.#settings;
    if (this.#looking || this.#nodeReady || nodeSeconds === 0 || this.#producer.standing === undefined)
      return;
    this.#looking = this.#guard('node', async () => {
      const sight = await observeNode(this.#o.host);
      if (!sight) return;
      const { providerID } = sight.observed;
      if (providerID) this.#learnt.providerID = providerID;
      await this.#producer.recordNode(sight);
      this.#nodeReady = sight.observed.state === 'ready';
    }).finally(() => {
      this.#looking = undefined;
    });
  }

  /** Reads the settings again: Cluster API's files come after the reporter has begun. */
  async #reload(): Promise<void> {
    const loaded = await this.#source.poll();
    if (!loaded) return this.#transports.apply(this.#settings);
    const { settings, problems } = loaded;
    this.#settings = settings;
    if (settings.providerID !== undefined) this.#learnt.providerID = settings.providerID;
    await this.#transports.apply(settings);
    const described = problems.map(describeProblem);
    const news = described.join('\n');
    if (news === this.#problems) return;
    this.#problems = news;
    for (const line of described) this.#o.log(line);
    const errors = problems.filter(({ severity }) => severity === 'error').map(describeProblem);
    if (errors.length === 0) return;
    await this.#producer.tell({
      type: 'finding',
      severity: 'warning',
      code: 'ReportConfigInvalid' satisfies Code,
      message: errors.join('; '),
    });
  }

  async #trim(): Promise<void> {
    const { acknowledged } = this.#transports;
    const count = await this.#spool.trim(acknowledged ?? 0, this.#boot);
    if (count > 0 && acknowledged !== undefined) {
      const why = 'more events were waiting for a receiver that did not answer than can be kept';
      await this.#producer.tell({ type: 'events.lost', count, why });
    }
  }

  async #stopped(): Promise<string> {
    const { clock } = this.#o.host;
    await this.#guard('journal', () => this.#producer.recordJournalAndOutcome());
    const end = clock.monotonic() + STOP_MS;
    while (!this.#transports.isDone(0) && clock.monotonic() < end) await clock.sleep(50);
    return 'it was asked to stop; unsent events are sent after the next start';
  }

  async #every(what: keyof typeof EVERY, work: () => Promise<void>): Promise<void> {
    const now = this.#o.host.clock.monotonic();
    if (now < (this.#due.get(what) ?? 0)) return;
    this.#due.set(what, now + EVERY[what]);
    await this.#guard(what, work);
  }

  /** Whatever one watcher stumbles over, the others go on. It is told when it begins, not at every look. */
  async #guard(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#troubles.delete(what);
    } catch (error) {
      const trouble = errorMessage(error);
      if (this.#troubles.get(what) !== trouble) this.#o.log(`${what}: ${trouble}`);
      this.#troubles.set(what, trouble);
    }
  }
}
