import {
  EVENTS_VERSION,
  type EventType,
  type MachineIdentity,
  type SlipwayEvent,
} from '../../../protocol/events.ts';
import { readEvent } from '../../../protocol/read-events.ts';
import type { Host } from '../../host/host.ts';
import { boundEvent } from '../events/bounded.ts';
import type { Draft } from '../events/draft.ts';
import { traceparentOf } from '../events/trace.ts';
import { SpoolFile } from './spool-file.ts';
import { type JournalMark, readSpoolLines, type SpoolBase, type SpoolLine } from './spool-lines.ts';

/** What is kept for a receiver that is away; a bootstrap has 20 to 100 events. */
const MAX_EVENTS = 4096;
/** The spool drops these first when there are too many. */
const LEAST: readonly EventType[] = ['heartbeat', 'step.progress', 'fact'];

/**
 * Every event of this machine in its order, numbered. It stays on disk until all reliable receivers have it.
 *
 * The spool belongs to one instance: machines do not send a spool that was baked into their image.
 */
export class Spool {
  readonly #machine: () => MachineIdentity;
  readonly #file: SpoolFile;
  readonly #keys = new Set<string>();
  readonly #listeners = new Set<() => void>();
  #lines: SpoolLine[] = [];
  #events: SlipwayEvent[] = [];
  #lastSeq: number;
  #mark: JournalMark | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(machine: () => MachineIdentity, file: SpoolFile, base: SpoolBase, lines: SpoolLine[]) {
    this.#machine = machine;
    this.#file = file;
    this.#lastSeq = base.seq;
    this.#mark = base.journal;
    for (const line of lines) this.#remember(line);
  }

  /**
   * @param machine is asked for each event, because the reporter learns some of it late
   * @param acknowledged highest number that a receiver is known to have; numbers go on above it
   */
  static async open(host: Host, machine: () => MachineIdentity, acknowledged = 0): Promise<Spool> {
    const { file, lines: texts } = await SpoolFile.open(host);
    const { base, lines } = readSpoolLines(texts);
    const { instance } = machine();
    const owner = lines[0]?.events[0]?.machine.instance ?? base?.instance ?? instance;
    if (owner !== instance) {
      await file.rewrite([]);
      return new Spool(machine, file, { instance, seq: 0 }, []);
    }
    return new Spool(
      machine,
      file,
      { instance, ...base, seq: Math.max(base?.seq ?? 0, acknowledged) },
      lines,
    );
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Why events are not on the disk; undefined if they are. */
  get trouble(): string | undefined {
    return this.#file.trouble;
  }

  /** How far this journal has been told; 0 for one that is not known. */
  told(journal: string): number {
    return this.#mark?.id === journal ? this.#mark.seq : 0;
  }

  /** Was an observation with this key told already? */
  has(key: string): boolean {
    return this.#keys.has(key);
  }

  /** The events after a sequence number, oldest first. */
  after(seq: number, most: number): SlipwayEvent[] {
    const from = this.#events.findIndex((event) => event.seq > seq);
    return from < 0 ? [] : this.#events.slice(from, from + most);
  }

  /** The last event for which `fits` holds. */
  last(fits: (event: SlipwayEvent) => boolean): SlipwayEvent | undefined {
    return this.#events.findLast(fits);
  }

  /** Calls `listener` after each event that was added. @returns a function that ends this */
  onAdded(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Numbers events and keeps them; resolves when they are on disk, or in memory where the disk takes nothing.
   * Drafts of one call are told together or not at all.
   */
  add(drafts: readonly Draft[], source: Omit<SpoolLine, 'events'> = {}): Promise<void> {
    const turn = this.#turn.then(() => this.#add(drafts, source));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #add(drafts: readonly Draft[], source: Omit<SpoolLine, 'events'>): Promise<void> {
    if (source.key !== undefined && this.#keys.has(source.key)) return;
    const machine = this.#machine();
    const events = drafts.map(({ body, ...head }, index) => {
      const event = boundEvent({
        v: EVENTS_VERSION,
        machine,
        ...head,
        seq: this.#lastSeq + 1 + index,
        traceparent: traceparentOf(machine.instance, head.boot, body),
        ...body,
      } as SlipwayEvent);
      // An event that a receiver would refuse must not block it for ever.
      readEvent(event);
      return event;
    });
    const line: SpoolLine = { events, ...source };
    this.#remember(line);
    await this.#file.append(JSON.stringify(line));
    if (events.length > 0) for (const listener of this.#listeners) listener();
  }

  /** Tries again to bring to the disk what it had refused. */
  async save(): Promise<void> {
    const turn = this.#turn.then(() => this.#file.save());
    this.#turn = turn.catch(() => undefined);
    await turn;
  }

  /**
   * Forgets what is not needed any more: events up to `acknowledged` from before the last bootstrap, which the controller
   * may ask for again, and before `boot`. When the receiver has been
   * away for so long that there are too many, the least important go first. @returns how many events were lost by that
   */
  trim(acknowledged: number, boot: string): Promise<number> {
    const turn = this.#turn.then(() => this.#trim(acknowledged, boot));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #trim(acknowledged: number, boot: string): Promise<number> {
    const begun = this.#firstOfBootstrap();
    const needed = this.#events.filter(
      (event) => event.seq > acknowledged || event.boot === boot || event.seq >= begun,
    );
    const doomed = tooMany(needed);
    if (needed.length === this.#events.length && doomed.size === 0) return 0;
    const kept = new Set(needed.filter((event) => !doomed.has(event)));
    this.#lines = this.#lines
      .map((line) => ({ ...line, events: line.events.filter((event) => kept.has(event)) }))
      .filter((line) => line.events.length > 0);
    this.#events = [...kept];
    const base: SpoolBase = {
      instance: this.#machine().instance,
      seq: this.#lastSeq,
      ...(this.#mark ? { journal: this.#mark } : {}),
    };
    await this.#file.rewrite([JSON.stringify({ base }), ...this.#lines.map((line) => JSON.stringify(line))]);
    return [...doomed].filter((event) => event.seq > acknowledged).length;
  }

  /** The number before the first event of a boot; of all events, where it has none yet. */
  before(boot: string): number {
    const first = this.#events.find((event) => event.boot === boot);
    return first === undefined ? this.#lastSeq : first.seq - 1;
  }

  /** The number of the first event of the boot in which the last bootstrap began. */
  #firstOfBootstrap(): number {
    const begin = this.last((event) => event.type === 'sequence.started' && !event.resumed);
    const first = begin && this.#events.find(({ boot }) => boot === begin.boot);
    return first?.seq ?? Number.POSITIVE_INFINITY;
  }

  async close(): Promise<void> {
    await this.#turn;
    await this.#file.close();
  }

  #remember(line: SpoolLine): void {
    this.#lines.push(line);
    this.#events.push(...line.events);
    this.#lastSeq = Math.max(this.#lastSeq, line.events.at(-1)?.seq ?? 0);
    if (line.key !== undefined) this.#keys.add(line.key);
    if (line.journal) this.#mark = line.journal;
  }
}

/** Which events to drop so that no more than `MAX_EVENTS` stay: the least important first, then the oldest. */
function tooMany(events: readonly SlipwayEvent[]): Set<SlipwayEvent> {
  const excess = events.length - MAX_EVENTS;
  if (excess <= 0) return new Set();
  // Room for a while, so that not every further event rewrites the file.
  const goal = excess + MAX_EVENTS / 8;
  const least = events.filter(({ type }) => LEAST.includes(type)).slice(0, goal);
  const others = events
    .filter(({ type }) => !LEAST.includes(type))
    .slice(0, Math.max(0, excess - least.length));
  return new Set([...least, ...others]);
}
