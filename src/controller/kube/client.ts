import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Access } from './access.ts';
import { errorOf, KubeError } from './kube-error.ts';
import { createTransport } from './transport.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface RequestOptions {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  /** Of the body; JSON when absent. */
  readonly contentType?:
    | 'application/json'
    | 'application/apply-patch+yaml'
    | 'application/json-patch+json'
    | 'application/merge-patch+json';
  /** Another form than plain JSON, of which the answer is JSON all the same. */
  readonly accept?: string;
  /** From sending to the last byte of the answer; 30 s when absent. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const MAX_CONNECTIONS = 32;
/** An answer's body larger than this is no answer to anything that is asked here. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/**
 * A thin client of the Kubernetes API: JSON over HTTP/1.1 with kept connections, a deadline for every request, errors
 * that say what the API server said. Watching is the informer's work.
 */
export class KubeClient {
  readonly namespace: string;
  /** Requests that change something, since the process began; for metrics. */
  writes = 0;
  readonly #access: Access;
  readonly #transport: Dispatcher;
  readonly #watchTransport: Dispatcher;

  /** @param transport instead of real connections */
  constructor(access: Access, transport?: Dispatcher) {
    this.#access = access;
    this.namespace = access.namespace;
    this.#transport = transport ?? createTransport(access, MAX_CONNECTIONS);
    // Watches last for minutes; among the others they would take the connections away.
    this.#watchTransport = transport ?? createTransport(access);
  }

  /**
   * One request, its whole answer parsed.
   *
   * @throws KubeError where the API server refuses; where it cannot be reached or is too slow, with status 0
   */
  async request<T>(method: Method, path: string, options: RequestOptions = {}): Promise<T> {
    if (method !== 'GET') this.writes += 1;
    const { timeoutMs = DEFAULT_TIMEOUT_MS, signal } = options;
    const deadline = AbortSignal.timeout(timeoutMs);
    const end = signal ? AbortSignal.any([deadline, signal]) : deadline;
    try {
      const { body } = await this.#send(method, path, options, end, this.#transport);
      const text = await wholeText(body);
      return (text === '' ? undefined : JSON.parse(text)) as T;
    } catch (error) {
      throw asKubeError(error, `${method} ${path}`, deadline.aborted ? timeoutMs : undefined);
    }
  }

  /**
   * Begins a request whose answer goes on for long: the deadline is for its beginning, `signal` ends it.
   *
   * @throws KubeError as `request`
   */
  async stream(path: string, options: RequestOptions & { signal: AbortSignal }): Promise<Readable> {
    const { timeoutMs = DEFAULT_TIMEOUT_MS, signal } = options;
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), timeoutMs);
    const end = AbortSignal.any([deadline.signal, signal]);
    try {
      return (await this.#send('GET', path, options, end, this.#watchTransport)).body;
    } catch (error) {
      throw asKubeError(error, `GET ${path}`, deadline.signal.aborted ? timeoutMs : undefined);
    } finally {
      clearTimeout(timer);
    }
  }

  /** @throws KubeError for an answer of 400 and more */
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
      // Another one may have been laid down since it was read.
      const other = this.#access.token?.(token);
      if (other !== token) {
        await wholeText(answer.body);
        answer = await this.#sendAs(other, method, path, options, signal, transport);
      }
    }
    if (answer.statusCode < 400) return answer;
    throw errorOf(method, path, answer, await wholeText(answer.body));
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

  /** Ends all connections. */
  close(): void {
    void this.#transport.destroy();
    void this.#watchTransport.destroy();
  }
}

/** @param timeoutMs of the deadline that passed */
function asKubeError(error: unknown, what: string, timeoutMs: number | undefined): KubeError {
  if (error instanceof KubeError) return error;
  if (timeoutMs !== undefined)
    return new KubeError(0, 'Timeout', `${what}: no answer within ${timeoutMs} ms`, { cause: error });
  // Of a name with several addresses the error has a code and no words.
  const { message, code } = error as NodeJS.ErrnoException;
  return new KubeError(0, 'Unreachable', `${what}: ${message || code}`, { cause: error });
}

async function wholeText(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new Error(`the answer has more than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
