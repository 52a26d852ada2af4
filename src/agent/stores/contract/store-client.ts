import { HostError } from '../../host/host.ts';
import type { HttpClient, HttpClientOptions, HttpRequest, HttpResponse } from '../../host/network.ts';
import { SecretError } from '../../platform/credentials/secret-error.ts';
import { isPrivateOrigin } from '../reference/private-origin.ts';
import { MAX_SECRET_BYTES, type StoreContext, type StoresSpec } from './store.ts';

const ONE_ANSWER_MS = 20_000;
/** base64 in JSON, and what else stands in an answer. */
const MOST_ANSWER_BYTES = 2 * MAX_SECRET_BYTES;

interface Asked extends Pick<HttpRequest, 'method' | 'body'> {
  path: string;
  headers?: Record<string, string>;
}

/** The way out that the document names. */
export function throughProxy({ proxy }: StoresSpec): Pick<HttpClientOptions, 'proxy'> {
  if (!proxy) return {};
  const { http, https, except = [] } = proxy;
  return {
    proxy: {
      ...(http ? { http: http.reveal() } : {}),
      ...(https ? { https: https.reveal() } : {}),
      except: except.join(','),
    },
  };
}

/**
 * A server that gets credentials of this machine: by TLS only, unless it is on this machine, and no answer of it sends them
 * anywhere else. What may pass by itself (no connection, 408, 429, 5xx) is `SecretStoreUnreachable`; who tries again is the
 * engine.
 */
export class StoreClient {
  readonly #client: HttpClient;
  readonly #called: string;
  readonly #origin: string;
  readonly #signal: AbortSignal | undefined;

  /** @param called for people: `Vault at https://...` */
  constructor(
    { host, spec, signal }: StoreContext,
    called: string,
    origin: string,
    options: HttpClientOptions = {},
  ) {
    if (!isPrivateOrigin(origin))
      throw new SecretError(
        'SecretDenied',
        `${called} is not used without TLS`,
        'Set an address that begins with https: in slipway.secrets.',
      );
    // What is asked without TLS does not leave this machine, so no proxy sees it either.
    const through = origin.startsWith('https:') ? throughProxy(spec) : {};
    this.#client = host.network.client({ ...through, ...options });
    this.#called = called;
    this.#origin = origin.replace(/\/+$/, '');
    this.#signal = signal;
  }

  /** @throws SecretError SecretStoreUnreachable; SecretDenied for a redirect */
  async send({ path, ...asked }: Asked): Promise<HttpResponse> {
    const answer = await this.#exchange({
      ...asked,
      url: `${this.#origin}${path}`,
      timeoutMs: ONE_ANSWER_MS,
      maxBytes: MOST_ANSWER_BYTES,
      ...(this.#signal ? { signal: this.#signal } : {}),
    });
    const { status } = answer;
    if (status === 408 || status === 429)
      throw this.unreachable(`is overloaded or rate-limits requests (status ${status})`);
    if (status >= 500) throw this.unreachable(`returned status ${status}`);
    if (status >= 300 && status < 400)
      throw new SecretError(
        'SecretDenied',
        `${this.#called} redirects (status ${status}), which is not followed with credentials`,
        'If the redirect leads to the store, set that address; otherwise check what answers instead of the store (a proxy, a login page).',
      );
    return answer;
  }

  /** The answer's JSON. @throws SecretError also where it is none: cut off, or of somebody in between */
  json(answer: HttpResponse): unknown {
    try {
      return JSON.parse(answer.body);
    } catch {
      throw this.unreachable(`returned an answer that is truncated or not JSON (status ${answer.status})`);
    }
  }

  unreachable(what: string): SecretError {
    return new SecretError('SecretStoreUnreachable', `${this.#called} ${what}`);
  }

  close(): void {
    this.#client.close();
  }

  async #exchange(request: HttpRequest): Promise<HttpResponse> {
    try {
      return await this.#client.send(request);
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      if (error.errno === 'EFBIG')
        throw new SecretError(
          'SecretUndecryptable',
          `${this.#called} returned more than the size limit of a secret: ${error.message}`,
          'Check the content of the secret, and which server answers at that address; store large content elsewhere.',
        );
      throw this.unreachable(`does not answer: ${error.message}`);
    }
  }
}
