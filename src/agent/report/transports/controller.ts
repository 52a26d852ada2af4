import { errorMessage } from '../../../kit/errors.ts';
import { retryAfterMs } from '../../../kit/retry-after.ts';
import { EVENTS_VERSION, type MachineIdentity, type SlipwayEvent } from '../../../protocol/events.ts';
import { type CheckInWish, EVENTS_PATH, type EventBatch } from '../../../protocol/exchange.ts';
import { readReply } from '../../../protocol/read-events.ts';
import { text } from '../../../protocol/wire.ts';
import type { Host } from '../../host/host.ts';
import type { HttpResponse } from '../../host/network.ts';
import { ControllerClient } from '../../identity/controller-client.ts';
import type { ControllerSettings } from '../../settings/settings.ts';
import type { Log } from '../events/log.ts';
import { noteCheckInWish } from '../state/asked-check-in.ts';
import { noteRequest, type RequestOutcome } from '../state/reporting-state.ts';
import { DeliveryError, type Transport } from './transport.ts';

/** No endpoint holds the reporter longer than this; then it asks the next one. */
const TIMEOUT_MS = 20_000;
/** Bad, too large, or nothing that can be stored: the same events would be refused again. */
const FOR_GOOD: readonly number[] = [400, 413, 422];

interface ControllerOptions {
  host: Host;
  settings: ControllerSettings;
  machine: () => MachineIdentity;
  /** Version of the reporter. */
  reporter: string;
  log: Log;
  /** Called if the controller will never take an event. */
  lost(event: SlipwayEvent, why: string): void;
  /** Resolves when no other process speaks for this machine. */
  alone?: Promise<unknown>;
}

/** The controller, over HTTPS with mutual TLS; it has an event when it says that it has stored it. */
export class ControllerTransport implements Transport {
  readonly name = 'controller';
  readonly reliable = true;
  readonly batch = 128;
  readonly #o: ControllerOptions;
  readonly #client: ControllerClient;
  #words = '';
  /** What the last answer says of check-ins. */
  #wish: CheckInWish | undefined;

  constructor(options: ControllerOptions) {
    this.#o = options;
    this.#client = new ControllerClient({ ...options, version: options.reporter, timeoutMs: TIMEOUT_MS });
  }

  async deliver(events: readonly SlipwayEvent[], signal: AbortSignal): Promise<number> {
    try {
      const seq = await this.#client.overEndpoints(signal, () => this.#deliverOnce(events, signal));
      await this.#noteRequest({ seq, checkIn: { wish: this.#wish, isAnswer: false } });
      return seq;
    } catch (error) {
      if (!signal.aborted) await this.#noteRequest({ failure: errorMessage(error) });
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#client.close();
  }

  /** To the endpoint that is asked now. */
  async #deliverOnce(events: readonly SlipwayEvent[], signal: AbortSignal): Promise<number> {
    const answer = await this.#client.post(EVENTS_PATH, this.#bodyOf(events), signal);
    const last = events.at(-1)?.seq ?? 0;
    if (answer.status === 200) {
      const reply = readReply(Buffer.from(answer.body));
      this.#show(reply.words);
      // There is no timer on Windows.
      await this.#note(this.#o.host.platform === 'windows' ? undefined : reply.checkin);
      return Math.min(reply.stored, last);
    }
    const said = refusalOf(answer);
    this.#show(said.words);
    if (answer.status === 401) throw new DeliveryError('the controller does not know this machine');
    if (FOR_GOOD.includes(answer.status)) return this.#passOver(events, said.error, signal);
    throw new DeliveryError(
      `${new URL(this.#client.endpoint).host} answered with status ${answer.status} (${said.error})`,
      retryAfterMs(answer.headers, this.#o.host.clock.now().getTime()),
    );
  }

  /** Sends fewer and fewer events to find the one that the controller refuses; passes over that one and says so. */
  async #passOver(events: readonly SlipwayEvent[], error: string, signal: AbortSignal): Promise<number> {
    const [first, ...others] = events;
    if (first === undefined) throw new DeliveryError('there was nothing to send');
    if (others.length > 0) return this.#deliverOnce(events.slice(0, Math.ceil(events.length / 2)), signal);
    this.#o.lost(first, `the controller refused an event of type ${first.type}: ${error}`);
    return first.seq;
  }

  /** For `slipway status`. */
  #noteRequest(outcome: Pick<RequestOutcome, 'seq' | 'failure' | 'checkIn'>): Promise<void> {
    const { endpoint, certifiedUntil } = this.#client;
    return noteRequest(this.#o.host, { endpoint, certifiedUntil, ...outcome });
  }

  /** systemd checks in by it once this process has ended. */
  async #note(wish: CheckInWish | undefined): Promise<void> {
    this.#wish = wish;
    const { host, machine, log } = this.#o;
    const trouble = await noteCheckInWish(host, machine().instance, wish);
    if (trouble !== undefined) log(`controller: cannot save the check-in interval: ${trouble}`);
  }

  #bodyOf(events: readonly SlipwayEvent[]): Uint8Array {
    const batch: EventBatch = {
      version: EVENTS_VERSION,
      machine: this.#o.machine(),
      reporter: this.#o.reporter,
      events: [...events],
    };
    return Buffer.from(JSON.stringify(batch));
  }

  #show(words: string | undefined): void {
    if (words !== undefined && words !== this.#words) this.#o.log(`controller: says: ${words}`);
    this.#words = words ?? '';
  }
}

function refusalOf({ body }: HttpResponse): { error: string; words?: string } {
  try {
    const value = JSON.parse(body);
    const error = text(value, 'error', 64);
    return typeof value.words === 'string' && value.words !== ''
      ? { error, words: text(value, 'words', 3072) }
      : { error };
  } catch {
    return { error: 'no reason given' };
  }
}
