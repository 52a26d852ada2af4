import { gzipSync } from 'node:zlib';
import { PAUSE_MS } from '../../kit/backoff.ts';
import { ExpectedError, errorMessage, isExpected } from '../../kit/errors.ts';
import type { MachineIdentity } from '../../protocol/events.ts';
import { type Host, HostError } from '../host/host.ts';
import type { HttpClient, HttpRequest, HttpResponse } from '../host/network.ts';
import type { ControllerSettings } from '../settings/settings.ts';
import { currentMoment, type EnrolmentMethod, enrol } from './enrol.ts';
import { ensureEnrolled } from './ensure-enrolled.ts';
import { type Identity, isDueForRenewal, readIdentity, storeIdentity } from './identity.ts';
import { keepAuthorities, withKeptAuthorities } from './kept-authorities.ts';
import type { SendRequest } from './send-request.ts';
import { readToken, removeToken } from './token.ts';
import { TpmProblem } from './tpm/tpm-problem.ts';

/** Smaller bodies do not gain by it. */
const GZIP_FROM = 1024;

interface ControllerClientOptions {
  readonly host: Host;
  readonly settings: ControllerSettings;
  readonly machine: () => MachineIdentity;
  /** Of this program. */
  readonly version: string;
  readonly log: (line: string) => void;
  /** No endpoint holds its asker longer than this. */
  readonly timeoutMs: number;
  /** Resolves when no other process speaks for this machine: of two certificates the older one counts as a copy's. */
  readonly alone?: Promise<unknown>;
  /** This process asks once and ends, so nothing counts that it has only in memory. */
  readonly isOneShot?: boolean;
}

/** The machine has nothing to show to the controller, or what it has is not taken. */
class IdentityProblem extends ExpectedError {
  override readonly name = 'IdentityProblem';
}

/**
 * Asks the controller as this machine, over mutual TLS: enrols where the machine has no certificate, renews it when it is
 * time, and follows the controller's authorities.
 */
export class ControllerClient {
  readonly #o: ControllerClientOptions;
  readonly #endpoints: readonly string[];
  #endpoint: number;
  #client: { http: HttpClient; identity: Identity | undefined } | undefined;
  #identity: Identity | undefined;
  #settings: ControllerSettings | undefined;
  #renewalFailedAt = Number.NEGATIVE_INFINITY;
  /** The controller did not know the certificate; the token may help. */
  #isDoubted = false;

  constructor(options: ControllerClientOptions) {
    this.#o = options;
    this.#endpoints = options.settings.endpoints.map((url) => url.replace(/\/+$/, ''));
    // Machines that start together do not all ask the same replica first.
    this.#endpoint = Math.floor(options.host.random() * this.#endpoints.length);
  }

  /** The endpoint that is asked now. */
  get endpoint(): string {
    return this.#endpoints[this.#endpoint] ?? '';
  }

  /** When the machine's certificate ends, by the controller's clock; undefined before there is one. */
  get certifiedUntil(): number | undefined {
    return this.#identity?.expiresAt;
  }

  /** Does `work`, with the next endpoint where one fails, until each was asked once. */
  async overEndpoints<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    let trouble: unknown;
    for (const _ of this.#endpoints) {
      try {
        return await work();
      } catch (error) {
        if (signal.aborted || !isExpected(error)) throw error;
        trouble = error;
        this.#endpoint = (this.#endpoint + 1) % this.#endpoints.length;
        this.close();
      }
    }
    throw trouble;
  }

  /**
   * Posts as this machine. After an answer that the certificate does not count, the next request asks for another one where
   * there is a proof. Until then the old one stays, because it may be good again: at another endpoint, or when somebody
   * sets the controller's clock.
   *
   * @throws IdentityProblem, EnrolmentRefused, HostError, WireError
   */
  async post(path: string, body: Uint8Array, signal: AbortSignal): Promise<HttpResponse> {
    const identity = await this.#identify(signal);
    try {
      const answer = await this.#send(identity, path, body, signal);
      if (answer.status === 401) await this.#doubt();
      return answer;
    } catch (error) {
      if (error instanceof HostError && error.errno === 'ECLIENTCERT') await this.#doubt();
      throw error;
    }
  }

  close(): void {
    this.#client?.http.close();
    this.#client = undefined;
  }

  /** The machine's certificate; enrols where it has none, renews where it is time. */
  async #identify(signal: AbortSignal): Promise<Identity> {
    const { host, settings, machine, log, alone } = this.#o;
    await alone;
    const { instance } = machine();
    this.#settings ??= await withKeptAuthorities(host, instance, settings);
    this.#identity ??= await readIdentity(host, instance);
    if (this.#identity?.isStored === false) this.#identity = await this.#storeAgain(this.#identity);
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
      throw new IdentityProblem(
        'this machine has neither a certificate nor an enrolment token; set report.controller.token, tokenFile or tpm',
      );
    }
    try {
      const proof = isDoubted ? undefined : known;
      const send: SendRequest = (path, body, exporter) => this.#send(proof, path, body, signal, exporter);
      // Keep the key: the controller may know it, and a one-time token is spent for any other key.
      // A renewal counts only once it is stored: after a restart, the certificate on the disk would be one that was replaced.
      // A first certificate, or one instead of a certificate that does not count, has none to fall back on.
      const { isOneShot = false } = this.#o;
      this.#identity = known
        ? await enrol(host, machine(), enrolmentMethod, send, {
            ...(isDoubted ? { knownKey: known.key } : {}),
            mustStore: isOneShot || (known.isStored && !isDoubted),
          })
        : await ensureEnrolled(host, machine(), enrolmentMethod, send, isOneShot);
      log(
        `controller: this machine has a certificate until ${new Date(this.#identity.expiresAt).toISOString()}`,
      );
      await this.#followAuthorities(this.#identity);
      if (this.#identity.isStored) await this.#removeToken();
      return this.#identity;
    } catch (error) {
      if (known && !signal.aborted) {
        if (!isDoubted) this.#renewalFailedAt = host.clock.monotonic();
        const what = isDoubted
          ? 'the proof would produce the same certificate'
          : 'the certificate could not be renewed';
        log(`controller: ${what}: ${errorMessage(error)}`);
        return known;
      }
      if (error instanceof TpmProblem) throw new IdentityProblem(`${error.message} (${error.code})`);
      throw error;
    }
  }

  /** As long as the certificate is not stored, a restart needs the token again. */
  async #removeToken(): Promise<void> {
    const { host, settings, log } = this.#o;
    const kept = await removeToken(host, settings);
    if (kept !== undefined) log(`controller: cannot remove the used token: ${kept}`);
  }

  /** There may be room by now. */
  async #storeAgain(identity: Identity): Promise<Identity> {
    const { host, machine, log } = this.#o;
    try {
      const stored = await storeIdentity(host, machine().instance, identity);
      log('controller: the certificate that was only in memory is now on disk');
      await this.#removeToken();
      return stored;
    } catch (error) {
      if (error instanceof HostError) return identity;
      throw error;
    }
  }

  async #followAuthorities({ authorities }: Identity): Promise<void> {
    // Another process has enrolled: the next renewal names them.
    if (authorities === undefined) return;
    const { host, settings, machine, log } = this.#o;
    const { instance } = machine();
    const trouble = await keepAuthorities(host, instance, settings, authorities);
    if (trouble !== undefined) log(`controller: cannot save its authorities: ${trouble}`);
    this.#settings = await withKeptAuthorities(host, instance, settings);
  }

  async #doubt(): Promise<void> {
    this.#isDoubted = (await this.#enrolmentMethod()) !== undefined;
    if (this.#isDoubted) this.close();
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
    const { host, timeoutMs, version } = this.#o;
    const { ca, proxy } = this.#settings ?? this.#o.settings;
    if (this.#client && this.#client.identity !== identity) this.close();
    this.#client ??= {
      identity,
      http: host.network.client({
        minTls: 'TLSv1.3',
        ...(ca === undefined ? {} : { ca }),
        ...(identity ? { certificate: identity.certificate, key: identity.key } : {}),
        ...(proxy ? { proxy } : {}),
      }),
    };
    const zipped = body.length >= GZIP_FROM;
    return this.#client.http.send({
      method: 'POST',
      url: `${this.endpoint}${path}`,
      headers: {
        'content-type': 'application/json',
        'user-agent': `slipway/${version}`,
        ...(zipped ? { 'content-encoding': 'gzip' } : {}),
      },
      body: zipped ? gzipSync(body) : body,
      timeoutMs,
      signal,
      ...(exporter ? { exporter } : {}),
    });
  }
}
