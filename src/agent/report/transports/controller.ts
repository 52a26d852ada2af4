import { gzipSync } from 'node:zlib';
import { PAUSE_MS } from '../../../kit/backoff.ts';
import { errorMessage } from '../../../kit/errors.ts';
import { retryAfterMs } from '../../../kit/retry-after.ts';
import { EVENTS_VERSION, type MachineIdentity, type SlipwayEvent } from '../../../protocol/events.ts';
import { EVENTS_PATH, type EventBatch } from '../../../protocol/exchange.ts';
import { readReply } from '../../../protocol/read-events.ts';
import { text, WireError } from '../../../protocol/wire.ts';
import { type Host, HostError } from '../../host/host.ts';
import type { HttpClient, HttpRequest, HttpResponse } from '../../host/network.ts';
import { currentMoment, type EnrolmentMethod, enrol } from '../../identity/enrol.ts';
import { EnrolmentRefused } from '../../identity/enrolment-refused.ts';
import { ensureEnrolled } from '../../identity/ensure-enrolled.ts';
import { type Identity, isDueForRenewal, readIdentity } from '../../identity/identity.ts';
import type { SendRequest } from '../../identity/send-request.ts';
import { readToken, removeToken } from '../../identity/token.ts';
import { TpmProblem } from '../../identity/tpm/tpm-problem.ts';
import type { ControllerSettings } from '../../settings/settings.ts';
import type { Log } from '../events/log.ts';
import { DeliveryError, type Transport } from './transport.ts';

/** No endpoint holds the reporter longer than this; then it asks the next one. */
const TIMEOUT_MS = 20_000;
/** Smaller bodies do not gain by it. */
const GZIP_FROM = 1024;
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
}

/** The controller, over HTTPS with mutual TLS; it has an event when it says that it has stored it. */
export class ControllerTransport implements Transport {
  readonly name = 'controller';
  readonly reliable = true;
  readonly batch = 128;
  readonly #o: ControllerOptions;
  readonly #endpoints: readonly string[];
  #endpoint: number;
  #client: { http: HttpClient; identity: Identity | undefined } | undefined;
  #identity: Identity | undefined;
  #renewalFailedAt = Number.NEGATIVE_INFINITY;
  /** The controller did not know the certificate; the token may help. */
  #isDoubted = false;
  #words = '';

  constructor(options: ControllerOptions) {
    this.#o = options;
    this.#endpoints = options.settings.endpoints.map((url) => url.replace(/\/+$/, ''));
    // Machines that start together do not all ask the same replica first.
    this.#endpoint = Math.floor(options.host.random() * this.#endpoints.length);
  }

  async deliver(events: readonly SlipwayEvent[], signal: AbortSignal): Promise<number> {
    let trouble: unknown;
    for (const _ of this.#endpoints) {
      try {
        return await this.#deliverTo(events, signal);
      } catch (error) {
        if (signal.aborted || !isOfEndpoint(error)) throw error;
        trouble = error;
        this.#endpoint = (this.#endpoint + 1) % this.#endpoints.length;
        this.#hangUp();
      }
    }
    throw trouble;
  }

  async close(): Promise<void> {
    this.#hangUp();
  }

  async #deliverTo(events: readonly SlipwayEvent[], signal: AbortSignal): Promise<number> {
    const identity = await this.#identify(signal);
    const answer = await this.#send(identity, EVENTS_PATH, this.#bodyOf(events), signal).catch((error) => {
      if (error instanceof HostError && error.errno === 'ECLIENTCERT')
        return this.#unknownToIt(error.message);
      throw error;
    });
    const last = events.at(-1)?.seq ?? 0;
    if (answer.status === 200) {
      const reply = readReply(Buffer.from(answer.body));
      this.#show(reply.words);
      return Math.min(reply.stored, last);
    }
    const said = refusalOf(answer);
    this.#show(said.words);
    if (answer.status === 401) return this.#unknownToIt('the controller does not know this machine');
    if (FOR_GOOD.includes(answer.status)) return this.#passOver(events, said.error, signal);
    throw new DeliveryError(
      `${this.#host()} answered with status ${answer.status} (${said.error})`,
      retryAfterMs(answer.headers, this.#o.host.clock.now().getTime()),
    );
  }

  /** Sends fewer and fewer events to find the one that the controller refuses; passes over that one and says so. */
  async #passOver(events: readonly SlipwayEvent[], error: string, signal: AbortSignal): Promise<number> {
    const [first, ...others] = events;
    if (first === undefined) throw new DeliveryError('there was nothing to send');
    if (others.length > 0) return this.#deliverTo(events.slice(0, Math.ceil(events.length / 2)), signal);
    this.#o.lost(first, `the controller refused an event of type ${first.type}: ${error}`);
    return first.seq;
  }

  /** The machine's certificate; enrols where it has none, renews where it is time. */
  async #identify(signal: AbortSignal): Promise<Identity> {
    const { host, settings, machine, log } = this.#o;
    const { instance } = machine();
    this.#identity ??= await readIdentity(host, instance);
    const known = this.#identity;
    const now = await currentMoment(host);
    // Trying again must not cost every delivery a request.
    const isPausing = now.mono - this.#renewalFailedAt < PAUSE_MS.renewal;
    const isDoubted = this.#isDoubted && known !== undefined;
    this.#isDoubted = false;
    if (known && !isDoubted && (!isDueForRenewal(known, now) || isPausing)) return known;
    // A TPM proves the machine anew each time: a policy may want to know how it has booted since.
    const isByTpm = settings.tpm !== undefined;
    const enrolmentMethod = known && !isDoubted && !isByTpm ? 'certificate' : await this.#enrolmentMethod();
    if (enrolmentMethod === undefined && isDoubted) return known;
    if (enrolmentMethod === undefined) {
      throw new DeliveryError(
        'this machine has neither a certificate nor an enrolment token; set report.controller.token, tokenFile or tpm',
      );
    }
    try {
      const proof = isDoubted ? undefined : known;
      const send: SendRequest = (path, body, exporter) => this.#send(proof, path, body, signal, exporter);
      // Keep the key: the controller may know it, and a one-time token is spent for any other key.
      this.#identity = known
        ? await enrol(host, machine(), enrolmentMethod, send, isDoubted ? known.key : undefined)
        : await ensureEnrolled(host, machine(), enrolmentMethod, send);
      log(
        `controller: this machine has a certificate until ${new Date(this.#identity.expiresAt).toISOString()}`,
      );
      const kept = await removeToken(host, settings);
      if (kept !== undefined) log(`controller: the spent token could not be removed: ${kept}`);
      return this.#identity;
    } catch (error) {
      if (known && !signal.aborted) {
        if (!isDoubted) this.#renewalFailedAt = host.clock.monotonic();
        const what = isDoubted
          ? 'the proof gives no other certificate'
          : 'the certificate could not be renewed';
        log(`controller: ${what}: ${errorMessage(error)}`);
        return known;
      }
      if (error instanceof EnrolmentRefused) throw new DeliveryError(error.message);
      if (error instanceof TpmProblem) throw new DeliveryError(`${error.message} (${error.code})`);
      throw error;
    }
  }

  /**
   * The controller refuses the certificate now. The next attempt asks for another one if there is a token. Until then the
   * old one stays, because it may be good again: at another endpoint, or when somebody sets the controller's clock.
   */
  async #unknownToIt(why: string): Promise<never> {
    this.#isDoubted = (await this.#enrolmentMethod()) !== undefined;
    if (this.#isDoubted) this.#hangUp();
    throw new DeliveryError(why);
  }

  /** What the machine has to prove itself by. A token is no fallback for a TPM: it would weaken what was asked for. */
  async #enrolmentMethod(): Promise<EnrolmentMethod | undefined> {
    const { host, settings } = this.#o;
    if (settings.tpm !== undefined) return { tpm: settings.tpm };
    const token = await readToken(host, settings);
    return token === undefined ? undefined : { token };
  }

  #send(
    identity: Identity | undefined,
    path: string,
    body: Uint8Array,
    signal: AbortSignal,
    exporter?: HttpRequest['exporter'],
  ): Promise<HttpResponse> {
    const { host, settings } = this.#o;
    if (this.#client && this.#client.identity !== identity) this.#hangUp();
    this.#client ??= {
      identity,
      http: host.network.client({
        minTls: 'TLSv1.3',
        ...(settings.ca === undefined ? {} : { ca: settings.ca }),
        ...(identity ? { certificate: identity.certificate, key: identity.key } : {}),
        ...(settings.proxy ? { proxy: settings.proxy } : {}),
      }),
    };
    const zipped = body.length >= GZIP_FROM;
    return this.#client.http.send({
      method: 'POST',
      url: `${this.#endpoints[this.#endpoint]}${path}`,
      headers: {
        'content-type': 'application/json',
        'user-agent': `slipway/${this.#o.reporter}`,
        ...(zipped ? { 'content-encoding': 'gzip' } : {}),
      },
      body: zipped ? gzipSync(body) : body,
      timeoutMs: TIMEOUT_MS,
      signal,
      ...(exporter ? { exporter } : {}),
    });
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

  #host(): string {
    return new URL(this.#endpoints[this.#endpoint] ?? '').host;
  }

  #hangUp(): void {
    this.#client?.http.close();
    this.#client = undefined;
  }
}

/** Would another endpoint perhaps do better? */
function isOfEndpoint(error: unknown): boolean {
  return error instanceof HostError || error instanceof WireError || error instanceof DeliveryError;
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
