import { BACKOFF, waitMs } from '../../../kit/backoff.ts';
import { retryAfterMs } from '../../../kit/retry-after.ts';
import { type Host, HostError } from '../../host/host.ts';
import type { HttpClient, HttpClientOptions, HttpResponse } from '../../host/network.ts';
import { MAX_RAW_BYTES } from '../../text/limits.ts';
import { SourceError } from './source-error.ts';

/** One try: from connecting to the last byte. The first tries are shorter, so that one dead address costs little. */
const FIRST_TRY_MS = 2_000;
const TRY_MS = 10_000;
/** What a service may name as its pause. */
const LONGEST_PAUSE_MS = 20_000;
const MAX_REDIRECTS = 5;

export function basesOf(...urls: readonly string[]): Base[] {
  return urls.map((url) => ({ url: url.replace(/\/+$/, '') }));
}
/** Errors that do not pass while the machine stays as it is. */
const NO_ROUTE = new Set(['ENETUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT']);

/** Is a redirect followed? `same`: only to the same host and port. Metadata services redirect to nobody else. */
type Redirects = 'never' | 'same' | 'any';

/** Where a service is: a URL without a slash at its end, and the address to connect to where the URL cannot say it. */
export interface Base {
  url: string;
  address?: string;
}

type Headers = Readonly<Record<string, string>>;

export interface MetadataOptions {
  /** The first that answers is kept. */
  bases: readonly Base[];
  /** The headers of every request; a function is asked for each try. */
  headers?: Headers | (() => Headers);
  /** All tries of one request together. */
  patienceMs: number;
  redirects?: Redirects;
  /** Asked for each connection. */
  http?: () => HttpClientOptions;
  /** Its name for people, such as `the metadata service of EC2`. */
  called: string;
}

export interface Ask {
  method?: 'GET' | 'PUT' | 'POST';
  headers?: Readonly<Record<string, string>>;
  body?: Uint8Array;
  maxBytes?: number;
  /** Statuses that pass here though they do not elsewhere, such as 404 while a service still learns of the machine. */
  passing?: readonly number[];
  /** Statuses that mean "there is none"; default 404. */
  absent?: readonly number[];
  /** Statuses that the caller wants to see rather than have them refused. */
  accept?: readonly number[];
}

/**
 * A metadata service over HTTP. It goes straight to the service, never by a proxy, and takes bounded bodies only. What
 * passes (no connection, no answer, a cut answer, 408, 425, 429, 5xx) is tried again with growing pauses, and is "not yet" at
 * the end of the patience; a status that says no is an error at once.
 */
export class MetadataClient {
  readonly #host: Host;
  readonly #options: MetadataOptions;
  readonly #clients = new Map<Base, HttpClient>();
  #base: Base | undefined;

  constructor(host: Host, options: MetadataOptions) {
    this.#host = host;
    this.#options = options;
  }

  /** The base that answered, or the first one, for people. */
  get base(): string {
    const { url, address } = this.#base ?? this.#options.bases[0] ?? { url: '' };
    return address === undefined ? url : `http://[${address}]`;
  }

  /** @returns undefined where there is no such thing. @throws SourceError */
  async bytes(path: string, ask: Ask = {}): Promise<Buffer | undefined> {
    const answer = await this.answer(path, ask);
    return answer && Buffer.from(answer.body, 'latin1');
  }

  /** @returns undefined where there is no such thing. @throws SourceError */
  async text(path: string, ask: Ask = {}): Promise<string | undefined> {
    return (await this.bytes(path, ask))?.toString('utf8');
  }

  /** @returns undefined where there is no such thing. @throws SourceError also where it is no JSON: cut off on its way */
  async json(path: string, ask: Ask = {}): Promise<unknown> {
    const text = await this.text(path, ask);
    if (text === undefined) return undefined;
    try {
      return JSON.parse(text);
    } catch {
      throw new SourceError(
        'not-yet',
        `${capital(this.#options.called)} answers ${shown(path)} with something that is no JSON.`,
      );
    }
  }

  /** @returns undefined for a status that means "there is none". @throws SourceError */
  async answer(path: string, ask: Ask = {}): Promise<HttpResponse | undefined> {
    const { clock, random } = this.#host;
    const end = clock.monotonic() + this.#options.patienceMs;
    for (let attempt = 1; ; attempt += 1) {
      const tried = await this.#everyBase(path, ask, attempt, end);
      if ('answer' in tried) return tried.answer;
      const pause = waitMs(attempt, BACKOFF.metadata, random, tried.askedMs);
      if (clock.monotonic() + pause >= end) throw this.#givenUp(tried);
      await clock.sleep(Math.min(pause, LONGEST_PAUSE_MS));
    }
  }

  close(): void {
    for (const client of this.#clients.values()) client.close();
    this.#clients.clear();
  }

  async #everyBase(path: string, ask: Ask, attempt: number, end: number): Promise<Tried> {
    let failed: Failed | undefined;
    for (const base of this.#base === undefined ? this.#options.bases : [this.#base]) {
      const left = end - this.#host.clock.monotonic();
      const timeoutMs = Math.max(1, Math.min(attempt * FIRST_TRY_MS, TRY_MS, left));
      const tried = await this.#once(base, path, ask, timeoutMs);
      if ('answer' in tried) {
        this.#base = base;
        return tried;
      }
      // What answers, even with an error, says more than an address family without a route.
      if (failed === undefined || (failed.noRoute && !tried.noRoute)) failed = tried;
    }
    return failed ?? { reason: 'the name does not resolve', noRoute: true };
  }

  async #once(base: Base, path: string, ask: Ask, timeoutMs: number): Promise<Tried> {
    try {
      return this.#judge(path, ask, await this.#send(base, `${base.url}${path}`, ask, timeoutMs));
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      if (error.errno === 'EFBIG') throw new HostError(`${this.#options.called}: ${error.message}`, 'EFBIG');
      this.#forget(base);
      return { reason: error.message, noRoute: NO_ROUTE.has(error.errno) };
    }
  }

  #judge(path: string, ask: Ask, answer: HttpResponse): Tried {
    const { status, headers } = answer;
    if ((status >= 200 && status < 300) || ask.accept?.includes(status)) return { answer };
    if (status >= 500 || [408, 425, 429, ...(ask.passing ?? [])].includes(status)) {
      const askedMs = retryAfterMs(headers, this.#host.clock.now().getTime());
      const reason = `it answered ${shown(path)} with status ${status}`;
      return { reason, noRoute: false, ...(askedMs === undefined ? {} : { askedMs }) };
    }
    if ((ask.absent ?? [404]).includes(status)) return { answer: undefined };
    const to = status >= 300 && status < 400 ? ', a redirect, which is not followed' : '';
    throw new SourceError(
      'refused',
      `${capital(this.#options.called)} answers ${shown(path)} with status ${status}${to}.`,
    );
  }

  async #send(base: Base, first: string, ask: Ask, timeoutMs: number): Promise<HttpResponse> {
    const { headers, redirects = 'same' } = this.#options;
    let url = first;
    for (let count = 0; ; count += 1) {
      const answer = await this.#client(base).send({
        method: ask.method ?? 'GET',
        url,
        headers: { ...(typeof headers === 'function' ? headers() : headers), ...ask.headers },
        ...(ask.body === undefined ? {} : { body: ask.body }),
        timeoutMs,
        maxBytes: ask.maxBytes ?? MAX_RAW_BYTES,
        binary: true,
      });
      const { location } = answer.headers;
      if (answer.status < 300 || answer.status >= 400 || location === undefined) return answer;
      const next = URL.canParse(location, url) ? new URL(location, url) : undefined;
      if (next === undefined || count >= MAX_REDIRECTS || !isAllowed(redirects, new URL(url), next))
        return answer;
      url = next.href;
    }
  }

  #client(base: Base): HttpClient {
    const known = this.#clients.get(base);
    if (known) return known;
    const { address } = base;
    const client = this.#host.network.client({
      ...this.#options.http?.(),
      ...(address === undefined ? {} : { address }),
    });
    this.#clients.set(base, client);
    return client;
  }

  /** The next try makes a connection of its own, from another port where ports matter. */
  #forget(base: Base): void {
    this.#clients.get(base)?.close();
    this.#clients.delete(base);
  }

  #givenUp({ reason, noRoute }: Failed): SourceError {
    const { called } = this.#options;
    return noRoute
      ? new SourceError('needs-network', `There is no route to ${called}: ${reason}.`)
      : new SourceError('not-yet', `${capital(called)} does not answer yet: ${reason}.`);
  }
}

interface Failed {
  reason: string;
  noRoute: boolean;
  /** The pause that the service asks for. */
  askedMs?: number;
}
type Tried = { answer: HttpResponse | undefined } | Failed;

/** Nothing leads from https to http, where anybody could answer. */
function isAllowed(redirects: Redirects, from: URL, to: URL): boolean {
  if (redirects === 'never' || !/^https?:$/.test(to.protocol)) return false;
  if (redirects === 'same') return from.origin === to.origin;
  return from.protocol === 'http:' || to.protocol === 'https:';
}

/** A whole address may be a secret up to the name of its file. */
function shown(path: string): string {
  return path.startsWith('/') ? path : (path.split('?')[0]?.split('/').at(-1) ?? '');
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
