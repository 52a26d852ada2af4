import type { KubeClient } from '../kube/client.ts';
import { Informer } from '../kube/informer.ts';
import { isStatus, KubeError, undefinedOnStatus } from '../kube/kube-error.ts';
import { StoreBusy } from '../store/store.ts';
import {
  encodedRecord,
  readToken,
  type TokenSecret,
  tokenName,
  tokensOnlyPath,
  tokensPath,
  USED_ANNOTATION,
  usesOf,
} from './kubernetes-tokens.ts';
import type { ServingTokens, TokenRecord } from './token.ts';

const MAX_TRIES = 8;
/** A replica counts so many uses with one write, where a token has room for many. */
const MOST_AT_ONCE = 20;
const SHARE_AT_ONCE = 20;

interface Known {
  record: TokenRecord;
  used: number;
  version: string | undefined;
  /** Uses that this replica has counted already and not made. */
  left: number;
  turn: Promise<unknown>;
}

/**
 * The tokens as this replica sees them on a watch: a stranger's guess costs the API server no read, and a
 * revoked token counts no longer at once. Uses are counted on the Secret itself, each replica against the
 * version that it knows, so all of them together never make more than there are.
 */
export class WatchedTokens implements ServingTokens {
  readonly #client: KubeClient;
  readonly #namespace: string;
  readonly #known = new Map<string, Known>();
  readonly #informer: Informer<TokenSecret>;
  readonly #listed = Promise.withResolvers<void>();

  constructor(client: KubeClient, namespace: string, trouble: (error: Error, retryInMs: number) => void) {
    this.#client = client;
    this.#namespace = namespace;
    this.#informer = new Informer<TokenSecret>(client, tokensOnlyPath(namespace), {
      changed: (secret) => this.#put(secret),
      gone: (key) => this.#known.delete(key.slice(key.lastIndexOf('-') + 1)),
      listed: () => this.#listed.resolve(),
      trouble,
    });
  }

  /** Resolves when it knows all tokens. */
  async start(): Promise<void> {
    this.#informer.start();
    await this.#listed.promise;
  }

  /** Gives back what it counted and did not make; who is killed cannot. */
  async stop(): Promise<void> {
    await this.#informer.stop();
    for (const known of this.#known.values()) {
      const { left } = known;
      known.left = 0;
      for (let tries = 0; left > 0 && tries < MAX_TRIES; tries += 1) {
        // Where it cannot be given back, some uses are wasted and none is made twice.
        if (await this.#count(known, known.used - left).catch(() => true)) break;
      }
    }
  }

  *all(): Iterable<TokenRecord> {
    for (const { record } of this.#known.values()) yield record;
  }

  /**
   * Takes the next state of a token; its uses begin anew.
   *
   * @returns false if somebody else has written it meanwhile
   * @throws KubeError
   */
  async renew(record: TokenRecord): Promise<boolean> {
    const known = this.#known.get(record.id);
    if (!known) return false;
    const path = `${tokensPath(this.#namespace)}/${tokenName(record.id)}`;
    const written = this.#client.request<TokenSecret>('PATCH', path, {
      body: {
        metadata: { resourceVersion: known.version, annotations: { [USED_ANNOTATION]: '0' } },
        data: { record: encodedRecord(record) },
      },
      contentType: 'application/merge-patch+json',
    });
    const secret = await undefinedOnStatus(written, 404, 409);
    if (secret) this.#put(secret);
    return secret !== undefined;
  }

  find(id: string): TokenRecord | undefined {
    return this.#known.get(id)?.record;
  }

  async take(id: string): Promise<boolean> {
    const known = this.#known.get(id);
    if (known?.record.uses === undefined) return known !== undefined;
    const before = known.turn;
    const mine = before.catch(() => undefined).then(() => this.#take(known, known.record.uses ?? 0));
    known.turn = mine;
    return await mine;
  }

  giveBack(id: string): void {
    const known = this.#known.get(id);
    if (known?.record.uses !== undefined) known.left += 1;
  }

  #put(secret: TokenSecret): void {
    const record = readToken(secret);
    if (!record) return;
    const known = this.#known.get(record.id);
    const used = usesOf(secret);
    const version = secret.metadata.resourceVersion;
    // This takes in an older state too: the next count then meets the present version.
    if (known) {
      // What was counted ahead was counted for the one before.
      const left = known.record.hash === record.hash ? known.left : 0;
      Object.assign(known, { record, used, version, left });
    } else this.#known.set(record.id, { record, used, version, left: 0, turn: Promise.resolve() });
  }

  async #take(known: Known, uses: number): Promise<boolean> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      if (known.left > 0) {
        known.left -= 1;
        return true;
      }
      const room = uses - known.used;
      if (room <= 0) return false;
      const step = Math.min(MOST_AT_ONCE, Math.max(1, Math.floor(room / SHARE_AT_ONCE)));
      if (await this.#count(known, known.used + step)) known.left += step;
    }
    throw new StoreBusy(`the uses of token ${known.record.id} are being counted by others`);
  }

  /** @returns false if another replica counted meanwhile; then `known` is what that one wrote */
  async #count(known: Known, used: number): Promise<boolean> {
    const path = `${tokensPath(this.#namespace)}/${tokenName(known.record.id)}`;
    try {
      const secret = await this.#client.request<TokenSecret>('PATCH', path, {
        // The version in it makes the API server refuse where somebody wrote since.
        body: {
          metadata: { resourceVersion: known.version, annotations: { [USED_ANNOTATION]: String(used) } },
        },
        contentType: 'application/merge-patch+json',
      });
      Object.assign(known, { used, version: secret.metadata.resourceVersion });
      return true;
    } catch (error) {
      if (isStatus(error, 409)) {
        const secret = await this.#client.request<TokenSecret>('GET', path);
        Object.assign(known, { used: usesOf(secret), version: secret.metadata.resourceVersion });
        return false;
      }
      if (error instanceof KubeError)
        throw new StoreBusy(error.message, error.retryAfterMs, { cause: error });
      throw error;
    }
  }
}
