import { BACKOFF, waitMs } from '../../kit/backoff.ts';
import { errorMessage } from '../../kit/errors.ts';
import type { EventType } from '../../protocol/events.ts';
import type { Host } from '../host/host.ts';
import { readCursor, writeCursor } from './cursor.ts';
import type { Log } from './events/log.ts';
import type { Spool } from './spool/spool.ts';
import { DeliveryError, type Transport } from './transports/transport.ts';

/** How long events that were seen but not stored wait for more before they are sent again. */
const HELD_MS = 15_000;
/** How long an event waits for company, so that a burst of steps is one request. */
const LINGER_MS = 150;
/** Somebody waits for these events; they leave the machine at once. When they are stored, the controller decides (`writeUrgency`). */
const URGENT: readonly EventType[] = ['sequence.started', 'sequence.ended', 'agent.lost', 'step.attempt'];

/** Brings the spool's events to one receiver, in order, at its own pace. */
export class Pump {
  readonly transport: Transport;
  readonly #host: Host;
  readonly #spool: Spool;
  readonly #log: Log;
  readonly #instance: string;
  readonly #stop = new AbortController();
  #delivered: number;
  #failures = 0;
  #wake: () => void = () => undefined;
  #running: Promise<void> = Promise.resolve();

  private constructor(options: PumpOptions, delivered: number) {
    this.transport = options.transport;
    this.#host = options.host;
    this.#spool = options.spool;
    this.#log = options.log;
    this.#instance = options.instance;
    this.#delivered = delivered;
  }

  static async open(options: PumpOptions): Promise<Pump> {
    const { host, spool, instance } = options;
    const { name, reliable } = options.transport;
    const position = await readCursor(host, name, reliable, instance);
    // What is kept of an earlier boot is nothing for a console.
    const from = reliable ? position : Math.max(position, spool.before(await host.bootId()));
    return new Pump(options, from);
  }

  /** The highest sequence number that the receiver has. */
  get delivered(): number {
    return this.#delivered;
  }

  get isDone(): boolean {
    return this.#delivered >= this.#spool.lastSeq;
  }

  /** Failed attempts since the last success. */
  get failures(): number {
    return this.#failures;
  }

  start(): void {
    const unsubscribe = this.#spool.onAdded(() => this.#wake());
    this.#running = this.#run().finally(unsubscribe);
  }

  /** Ends what is under way; what is not delivered stays for the next time. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#wake();
    await this.#running;
    await this.transport.close?.();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      if (this.isDone) {
        await this.#added();
        if (!signal.aborted && !this.#isUrgent()) await this.#host.clock.sleep(LINGER_MS, signal);
        continue;
      }
      await this.#deliver(signal);
    }
  }

  async #deliver(signal: AbortSignal): Promise<void> {
    const { name, reliable, batch } = this.transport;
    const events = this.#spool.after(this.#delivered, batch);
    if (events.length === 0) {
      // All that was left was lost for want of room.
      this.#delivered = this.#spool.lastSeq;
      return;
    }
    try {
      const reached = await this.transport.deliver(events, signal);
      if (this.#failures > 0) this.#log(`${name}: works again`);
      this.#failures = 0;
      if (reached <= this.#delivered) {
        await this.#held(events.at(-1)?.seq ?? reached, signal);
        return;
      }
      this.#delivered = reached;
      await writeCursor(this.#host, name, reliable, { seq: reached, instance: this.#instance });
    } catch (error) {
      if (signal.aborted) return;
      this.#failures += 1;
      const message = errorMessage(error);
      this.#log(`${name}: ${message}; retrying`);
      const wish = error instanceof DeliveryError ? error.retryAfterMs : undefined;
      const wait = waitMs(this.#failures, BACKOFF.report, () => this.#host.random(), wish);
      await this.#host.clock.sleep(wait, signal);
    }
  }

  /**
   * The receiver has seen the events up to `sent` and stores them when more come (a controller that spares its API
   * server): they are sent again with the next one, or after a while.
   */
  async #held(sent: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#host;
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    if (this.#spool.lastSeq <= sent) {
      await clock.sleep(HELD_MS, AbortSignal.any([signal, woken.signal]));
    }
    this.#wake = () => undefined;
    if (!signal.aborted && !this.#isUrgent(sent)) await clock.sleep(LINGER_MS, signal);
  }

  async #added(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (!this.isDone || this.#stop.signal.aborted) resolve();
    });
    this.#wake = () => undefined;
  }

  #isUrgent(after = this.#delivered): boolean {
    return this.#spool.after(after, this.transport.batch).some(({ type }) => URGENT.includes(type));
  }
}

interface PumpOptions {
  host: Host;
  spool: Spool;
  transport: Transport;
  log: Log;
  instance: string;
}
