import type { KubeClient } from '../kube/client.ts';
import { isStatus, KubeError } from '../kube/kube-error.ts';
import type { KubeObject } from '../kube/objects.ts';
import { StoreBusy } from '../store/store.ts';
import type { TokenBook, TokenRecord } from './token.ts';

interface SecretObject extends KubeObject {
  data?: Record<string, string>;
}

/** Thousands of a pool's machines enrol with one token, so its record is cached. */
const CACHE_MS = 10_000;
const MAX_CACHED = 256;

/** Records of tokens as Secrets in the controller's namespace; they hold only hashes. */
export class KubernetesTokens implements TokenBook {
  readonly #client: KubeClient;
  readonly #namespace: string;
  readonly #cache = new Map<string, { until: number; record: Promise<TokenRecord | undefined> }>();

  constructor(client: KubeClient, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
  }

  find(id: string): Promise<TokenRecord | undefined> {
    const known = this.#cache.get(id);
    if (known && known.until > performance.now()) return known.record;
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear();
    const record = this.#fetch(id);
    this.#cache.set(id, { until: performance.now() + CACHE_MS, record });
    record.catch(() => this.#cache.delete(id));
    return record;
  }

  async add(record: TokenRecord): Promise<void> {
    await this.#client.request('POST', `/api/v1/namespaces/${this.#namespace}/secrets`, {
      body: {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: nameOf(record.id), labels: { 'slipway.dev/token': record.id } },
        type: 'slipway.dev/token-hash',
        stringData: { record: JSON.stringify(record) },
      },
    });
  }

  async #fetch(id: string): Promise<TokenRecord | undefined> {
    try {
      const path = `/api/v1/namespaces/${this.#namespace}/secrets/${nameOf(id)}`;
      const secret = await this.#client.request<SecretObject>('GET', path);
      return JSON.parse(Buffer.from(secret.data?.record ?? '', 'base64').toString('utf8')) as TokenRecord;
    } catch (error) {
      if (isStatus(error, 404)) return undefined;
      if (error instanceof KubeError)
        throw new StoreBusy(error.message, error.retryAfterMs, { cause: error });
      throw error;
    }
  }
}

function nameOf(id: string): string {
  return `slipway-token-${id}`;
}
