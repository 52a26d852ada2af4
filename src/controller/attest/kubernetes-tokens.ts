import type { KubeClient } from '../kube/client.ts';
import { succeedsUnlessStatus } from '../kube/kube-error.ts';
import type { KubeObject, ListOf } from '../kube/objects.ts';
import type { TokenAdmin, TokenRecord } from './token.ts';

const SECRET_TYPE = 'slipway.dev/token-hash';
/** How many machines have enrolled with it, or may at any moment: replicas count in steps. */
export const USED_ANNOTATION = 'slipway.dev/used';

export interface TokenSecret extends KubeObject {
  type?: string;
  data?: Record<string, string>;
}

/** Records of tokens as Secrets in the controller's namespace; they hold only hashes. */
export class KubernetesTokens implements TokenAdmin {
  readonly #client: KubeClient;
  readonly #namespace: string;

  constructor(client: KubeClient, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
  }

  async add(record: TokenRecord): Promise<void> {
    await this.#client.request('POST', tokensPath(this.#namespace), {
      body: {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name: tokenName(record.id),
          labels: { 'slipway.dev/token': record.id },
          annotations: { [USED_ANNOTATION]: '0' },
        },
        type: SECRET_TYPE,
        stringData: { record: JSON.stringify(record) },
      },
    });
  }

  async list(): Promise<(TokenRecord & { used: number })[]> {
    const query = { fieldSelector: `type=${SECRET_TYPE}` };
    const { items } = await this.#client.request<ListOf<TokenSecret>>('GET', tokensPath(this.#namespace), {
      query,
    });
    return items.flatMap((secret) => {
      const record = readToken(secret);
      return record ? [{ ...record, used: usesOf(secret) }] : [];
    });
  }

  async endRenewal(token: TokenRecord & { used?: number }): Promise<void> {
    const { renewal: _, used: __, ...record } = token;
    await this.#client.request('PATCH', `${tokensPath(this.#namespace)}/${tokenName(record.id)}`, {
      body: { data: { record: encodedRecord(record) } },
      contentType: 'application/merge-patch+json',
    });
  }

  revoke(id: string): Promise<boolean> {
    return succeedsUnlessStatus(
      this.#client.request('DELETE', `${tokensPath(this.#namespace)}/${tokenName(id)}`),
      404,
    );
  }
}

export function tokensPath(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/secrets`;
}

/** The tokens among the Secrets. */
export function tokensOnlyPath(namespace: string): string {
  return `${tokensPath(namespace)}?fieldSelector=${encodeURIComponent(`type=${SECRET_TYPE}`)}`;
}

export function tokenName(id: string): string {
  return `slipway-token-${id}`;
}

/** As it lies in a Secret. */
export function encodedRecord(record: TokenRecord): string {
  return Buffer.from(JSON.stringify(record)).toString('base64');
}

/** Undefined if it is none, or somebody wrote it by hand and not rightly. */
export function readToken({ metadata, data }: TokenSecret): TokenRecord | undefined {
  try {
    const record = JSON.parse(Buffer.from(data?.record ?? '', 'base64').toString('utf8')) as TokenRecord;
    const { previous, renewal } = record;
    const isWhole =
      [record.hash, ...(previous ? [previous.hash] : [])].every((hash) => /^[0-9a-f]{64}$/.test(hash)) &&
      typeof record.namespace === 'string' &&
      (renewal === undefined || (typeof renewal.secret === 'string' && renewal.lifetimeMs > 0));
    return isWhole && tokenName(record.id) === metadata.name && Number.isFinite(record.expiresAt)
      ? record
      : undefined;
  } catch {
    return undefined;
  }
}

export function usesOf({ metadata }: TokenSecret): number {
  return Number(metadata.annotations?.[USED_ANNOTATION] ?? 0) || 0;
}
