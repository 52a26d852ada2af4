import {
  Agent as HttpAgent,
  type IncomingMessage,
  type Agent as PlainAgent,
  request as plainRequest,
} from 'node:http';
import { Agent as HttpsAgent, request as tlsRequest } from 'node:https';
import type { Access } from './access.ts';
import { errorOf, KubeError } from './kube-error.ts';

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
  readonly #agent: PlainAgent;
  readonly #watchAgent: PlainAgent;

  constructor(access: Access, options: { maxSockets?: number } = {}) {
    this.#access = access;
    this.namespace = access.namespace;
    const tls = {
      ...(access.ca === undefined ? {} : { ca: access.ca }),
      ...(access.clientCertificate ?? {}),
      ...(access.serverName === undefined ? {} : { servername: access.serverName }),
    };
    const Agent = access.server.protocol === 'https:' ? HttpsAgent : HttpAgent;
    const common = { keepAlive: true, keepAliveMsecs: 15_000, ...tls };
    this.#agent = new Agent({ ...common, maxSockets: options.maxSockets ?? 32, maxFreeSockets: 32 });
    // Watches last for minutes; among the others they would take the connections away.
    this.#watchAgent = new Agent({ ...common, maxFreeSockets: 4 });
  }

  /**
   * One request, its whole answer parsed.
   *
   * @throws KubeError where the API server refuses; where it cannot be reached or is too slow, with status 0
   */
  async request<T>(method: Method, path: string, options: RequestOptions = {}): Promise<T> {
    if (method !== 'GET') this.writes += 1;
    const timeoutMs = options.timeoutMs ?? 30_000;
    const deadline = AbortSignal.timeout(timeoutMs);
    const signal = options.signal ? AbortSignal.any([deadline, options.signal]) : deadline;
    try {
      const answer = await this.#send(method, path, options, signal, this.#agent);
      const text = await wholeText(answer);
      if ((answer.statusCode ?? 0) >= 400) throw errorOf(method, path, answer, text);
      return (text === '' ? undefined : JSON.parse(text)) as T;
    } catch (error) {
      if (error instanceof KubeError) throw error;
      if (deadline.aborted)
        throw new KubeError(0, 'Timeout', `${method} ${path}: no answer within ${timeoutMs} ms`);
      throw new KubeError(0, 'Unreachable', `${method} ${path}: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }

  /** Begins a request whose answer goes on for long. @throws KubeError as `request` */
  async stream(path: string, options: RequestOptions & { signal: AbortSignal }): Promise<IncomingMessage> {
    const deadline = AbortSignal.timeout(options.timeoutMs ?? 30_000);
    const beginning = new AbortController();
    const stop = (): void => beginning.abort();
    deadline.addEventListener('abort', stop);
    options.signal.addEventListener('abort', stop);
    if (options.signal.aborted) stop();
    try {
      const answer = await this.#send('GET', path, options, beginning.signal, this.#watchAgent);
      if ((answer.statusCode ?? 0) >= 400) throw errorOf('GET', path, answer, await wholeText(answer));
      return answer;
    } catch (error) {
      if (error instanceof KubeError) throw error;
      const why = deadline.aborted ? 'no answer in time' : (error as Error).message;
      throw new KubeError(0, deadline.aborted ? 'Timeout' : 'Unreachable', `GET ${path}: ${why}`, {
        cause: error,
      });
    } finally {
      // From here on the caller's own signal destroys the answer.
      deadline.removeEventListener('abort', stop);
    }
  }

  #send(
    method: Method,
    path: string,
    { query = {}, body, contentType = 'application/json', accept = 'application/json' }: RequestOptions,
    signal: AbortSignal,
    agent: PlainAgent,
  ): Promise<IncomingMessage> {
    const url = new URL(this.#access.server.pathname.replace(/\/$/, '') + path, this.#access.server);
    for (const [key, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(key, String(value));
    }
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const token = this.#access.token?.();
    const headers: Record<string, string | number> = {
      accept,
      'user-agent': 'slipway-controller',
      ...(payload ? { 'content-type': contentType, 'content-length': payload.length } : {}),
      ...(token ? { authorization: `Bearer ${token}` } : {}),
    };
    const send = url.protocol === 'https:' ? tlsRequest : plainRequest;
    return new Promise((resolve, reject) => {
      const request = send(url, { method, headers, agent, signal }, resolve);
      request.once('error', reject);
      request.end(payload);
    });
  }

  /** Gives idle connections back. */
  close(): void {
    this.#agent.destroy();
    this.#watchAgent.destroy();
  }
}

async function wholeText(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new Error(`the answer has more than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
