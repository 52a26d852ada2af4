import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { ByteCollector } from '../../kit/bytes/byte-collector.ts';
import type { Access } from './access.ts';
import { errorOf, KubeError } from './kube-error.ts';
import { createTransport } from './transport.ts';
import { Pace } from './untrusted/pace.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface RequestOptions {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  /** The body's type; default JSON. */
  readonly contentType?:
    | 'application/json'
    | 'application/apply-patch+yaml'
    | 'application/json-patch+json'
    | 'application/merge-patch+json';
  /** Another form than plain JSON; the answer is JSON nevertheless. */
  readonly accept?: string;
  /** Covers everything from sending to the answer's last byte; default 30 s. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

interface Sized<T> {
  readonly value: T;
  readonly bytes: number;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const MAX_CONNECTIONS = 32;
/** No answer that we ask for is larger. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Upper bound of one object in a list or watch; etcd accepts 1.5 MiB. */
const MAX_OBJECT_BYTES = 8 * 1024 * 1024;
/** A refusal says why in a few lines. */
const MAX_REFUSAL_BYTES = 1024 * 1024;

/**
 * A thin client of the Kubernetes API: JSON over HTTP/1.1 with kept connections, a deadline for every
 * request, and errors in the API server's words. The informer does the watching.
 */
export class KubeClient {
  readonly namespace: string;
  /** The largest object that is taken in a list or watch. */
  readonly objectBytes: number;
  /** Requests that change something, since the process began; for metrics. */
  writes = 0;
  readonly #access: Access;
  readonly #transport: Dispatcher;
  readonly #watchTransport: Dispatcher;
  readonly #answerBytes: number;
  readonly #pace: Pace | undefined;

  /**
   * @param transport replaces real connections
   * @throws ForbiddenAddressError where a tenant named an address that must not be connected to
   */
  constructor(access: Access, transport?: Dispatcher) {
    this.#access = access;
    this.namespace = access.namespace;
    this.objectBytes = access.limits?.objectBytes ?? MAX_OBJECT_BYTES;
    this.#answerBytes = access.limits?.answerBytes ?? MAX_ANSWER_BYTES;
    this.#pace = access.limits && new Pace(access.limits);
    this.#transport = transport ?? createTransport(access, MAX_CONNECTIONS);
    // Watches last for minutes and would occupy the others' connections.
    this.#watchTransport = transport ?? createTransport(access);
  }

  /**
   * Makes one request and parses the whole answer.
   *
   * @throws KubeError if the API server refuses; with status 0 if it is unreachable or too slow
   */
  async request<T>(method: Method, path: string, options: RequestOptions = {}): Promise<T> {
    return (await this.requestSized<T>(method, path, options)).value;
  }

  /**
   * The same, and how many bytes the answer has.
   *
   * @throws KubeError like `request`
   */
  async requestSized<T>(method: Method, path: string, options: RequestOptions = {}): Promise<Sized<T>> {
    if (method !== 'GET') this.writes += 1;
    return this.#within(`${method} ${path}`, options, async (end) => {
      const { body } = await this.#send(method, path, options, end, this.#transport);
      const all = await wholeBody(body, this.#answerBytes);
      const waitMs = this.#pace?.take(all.length) ?? 0;
      if (waitMs > 0) await sleep(waitMs, undefined, { signal: end });
      return { value: (all.length === 0 ? undefined : JSON.parse(all.toString())) as T, bytes: all.length };
    });
  }

  /**
   * Begins a request with a long answer: the deadline covers its beginning, `signal` ends it.
   *
   * @throws KubeError like `request`
   */
  async stream(
    path: string,
    options: RequestOptions & { signal: AbortSignal },
  ): Promise<AsyncIterable<Uint8Array>> {
    const send = (end: AbortSignal) => this.#send('GET', path, options, end, this.#watchTransport);
    const { body } = await this.#within(`GET ${path}`, options, send);
    return this.#pace?.of(body, options.signal) ?? body;
  }

  /** A timer that is stopped leaves nothing; AbortSignal.timeout leaves weak references for each collection of garbage to look at. */
  async #within<T>(
    what: string,
    { timeoutMs = DEFAULT_TIMEOUT_MS, signal }: RequestOptions,
    work: (end: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), timeoutMs);
    try {
      return await work(signal ? AbortSignal.any([deadline.signal, signal]) : deadline.signal);
    } catch (error) {
      throw asKubeError(error, what, deadline.signal.aborted ? timeoutMs : undefined);
    } finally {
      clearTimeout(timer);
    }
  }

  /** @throws KubeError for an answer that is no success */
  async #send(
    method: Method,
    path: string,
    options: RequestOptions,
    signal: AbortSignal,
    transport: Dispatcher,
  ): Promise<Dispatcher.ResponseData> {
    const token = this.#access.token?.();
    let answer = await this.#sendAs(token, method, path, options, signal, transport);
    if (answer.statusCode === 401) {
      // The file may hold a newer token by now.
      const other = this.#access.token?.(token);
      if (other !== token) {
        await wholeBody(answer.body, MAX_REFUSAL_BYTES);
        answer = await this.#sendAs(other, method, path, options, signal, transport);
      }
    }
    if (answer.statusCode >= 200 && answer.statusCode < 300) return answer;
    const text = (await wholeBody(answer.body, MAX_REFUSAL_BYTES)).toString();
    if (answer.statusCode >= 400) throw errorOf(method, path, answer, text);
    // An API server does not redirect, and whoever does could lead to an address that nobody has checked.
    throw new KubeError(
      answer.statusCode,
      'Redirect',
      `${method} ${path}: the server answers ${answer.statusCode}, and redirects are not followed`,
    );
  }

  #sendAs(
    token: string | undefined,
    method: Method,
    path: string,
    { query = {}, body, contentType = 'application/json', accept = 'application/json' }: RequestOptions,
    signal: AbortSignal,
    transport: Dispatcher,
  ): Promise<Dispatcher.ResponseData> {
    const { server } = this.#access;
    const url = new URL(server.pathname.replace(/\/$/, '') + path, server);
    for (const [key, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(key, String(value));
    }
    return transport.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers: {
        accept,
        'user-agent': 'slipway-controller',
        ...(body === undefined ? {} : { 'content-type': contentType }),
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal,
    });
  }

  /** Closes all connections. */
  close(): void {
    void this.#transport.destroy();
    void this.#watchTransport.destroy();
  }
}

/** @param timeoutMs the deadline that passed, if one did */
function asKubeError(error: unknown, what: string, timeoutMs: number | undefined): KubeError {
  if (error instanceof KubeError) return error;
  if (timeoutMs !== undefined)
    return new KubeError(0, 'Timeout', `${what}: no answer within ${timeoutMs} ms`, { cause: error });
  // For a name with several addresses, the error has a code but no words.
  const { message, code } = error as NodeJS.ErrnoException;
  return new KubeError(0, 'Unreachable', `${what}: ${message || code}`, { cause: error });
}

/** By events: an iterator of a stream costs more than a small answer. */
function wholeBody(body: Readable, mostBytes: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const gathered = new ByteCollector();
  body.on('data', (chunk: Buffer) => {
    if (gathered.size + chunk.length > mostBytes)
      body.destroy(new Error(`the answer has more than ${mostBytes} bytes`));
    else gathered.add(chunk);
  });
  body.once('end', () => resolve(gathered.all));
  body.once('error', reject);
  body.once('close', () => reject(new Error('the answer was cut off')));
  return promise;
}
