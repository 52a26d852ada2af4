import type { TokenRecord } from '../attest/token.ts';
import { isStatus } from '../kube/kube-error.ts';
import { type Log, reason } from '../log.ts';
import type { Renewal, RenewalList } from './renewal-list.ts';
import { isDue, renewedTokenOf, renewRecord } from './renewed-token.ts';

const LOOK_MS = 10_000;
/** Until then, every replica knows the present keys. */
const FOREIGN_MS = 60_000;
/** The minter looks every ten seconds. */
const UNWRITTEN_MS = 5 * 60_000;

interface RenewerParts {
  readonly tokens: {
    all(): Iterable<TokenRecord>;
    /** @returns false if somebody else has written it meanwhile @throws KubeError */
    renew(record: TokenRecord): Promise<boolean>;
  };
  readonly list: RenewalList;
  /** Of Machines' tokens; the one that signs is the first. */
  readonly keys: () => readonly Uint8Array[];
  readonly log: Log;
}

/**
 * Renews the tokens that templates take from a Secret, before they end. It writes hashes in the controller's namespace and nothing
 * else: the minter puts the tokens where they belong. Only the leading replica does it.
 */
export class TokenRenewer {
  readonly #parts: RenewerParts;
  /** Since when no key makes a token any more, by its id, by the monotonic clock. */
  readonly #foreign = new Map<string, number>();
  /** Since when nobody has put a token into its Secret, by its hash; `Infinity` once that was told. */
  readonly #unwritten = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();
  #isTold = false;

  constructor(parts: RenewerParts) {
    this.#parts = parts;
  }

  lead(leads: boolean): void {
    clearInterval(this.#timer);
    if (!leads) return;
    this.#timer = setInterval(() => {
      this.#working = this.#working.then(() => this.#look());
    }, LOOK_MS);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#working;
  }

  async #look(): Promise<void> {
    try {
      for (const record of this.#current()) await this.#renew(record);
      await this.#list();
      this.#isTold = false;
    } catch (error) {
      this.#parts.log[this.#isTold ? 'debug' : 'warn']('tokens could not be renewed', {
        reason: reason(error),
        ...(isStatus(error, 404) || isStatus(error, 403)
          ? { remedy: 'apply the manifests of this release: rbac/role.yaml and rbac/token-renewals.yaml' }
          : {}),
      });
      this.#isTold = true;
    }
  }

  /** Of several tokens for one Secret the last: the others end. */
  #current(): TokenRecord[] {
    const current = new Map<string, TokenRecord>();
    for (const record of this.#parts.tokens.all()) {
      const { namespace, renewal } = record;
      if (!renewal) continue;
      const key = `${namespace}/${renewal.secret}`;
      const other = current.get(key);
      if (!other?.renewal || other.renewal.since < renewal.since) current.set(key, record);
    }
    return [...current.values()];
  }

  async #renew(record: TokenRecord): Promise<void> {
    const { tokens, keys, log } = this.#parts;
    const [key] = keys();
    const isForeign = this.#isForeign(record);
    if (!key || (!isForeign && !isDue(record))) return;
    // Who stole the key that was taken away could make it.
    const next = renewRecord(record, key, !isForeign);
    if (!(await tokens.renew(next))) return;
    this.#foreign.delete(record.id);
    log.info('renewed a token', {
      ...{ token: record.id, namespace: record.namespace, secret: record.renewal?.secret },
      until: new Date(next.expiresAt).toISOString(),
    });
  }

  /** Has the key been taken away that it comes of? */
  #isForeign(record: TokenRecord): boolean {
    const { id, renewal } = record;
    if (!renewal?.isDerived || renewedTokenOf(record, this.#parts.keys()) !== undefined) {
      this.#foreign.delete(id);
      return false;
    }
    const since = this.#foreign.get(id) ?? performance.now();
    this.#foreign.set(id, since);
    return performance.now() - since >= FOREIGN_MS;
  }

  /** Tells the minter. */
  async #list(): Promise<void> {
    const { list } = this.#parts;
    const wanted = this.#current().flatMap((record) => renewalOf(record) ?? []);
    const { renewals, written } = await list.read();
    const news = wanted.filter(({ id, hash }) => renewals.get(id)?.hash !== hash);
    const ids = new Set(wanted.map(({ id }) => id));
    const gone = [...new Set([...renewals.keys(), ...written.keys()])].filter((id) => !ids.has(id));
    if (news.length > 0 || gone.length > 0) await list.put(news, gone);
    for (const renewal of wanted) this.#watch(renewal, written.get(renewal.id) === renewal.hash);
  }

  /** Machines that come with the earlier token are refused soon. */
  #watch({ id, namespace, secret, hash }: Renewal, isWritten: boolean): void {
    if (isWritten) {
      this.#unwritten.delete(hash);
      return;
    }
    const since = this.#unwritten.get(hash) ?? performance.now();
    this.#unwritten.set(hash, since);
    if (performance.now() - since < UNWRITTEN_MS) return;
    this.#unwritten.set(hash, Number.POSITIVE_INFINITY);
    this.#parts.log.warn('a renewed token is not in its Secret', {
      ...{ token: id, namespace, secret },
      remedy: 'see whether slipway-minter runs, and what its log says of this Secret',
    });
  }
}

/** Undefined where it has not been renewed yet: what is in the Secret was put there by whoever made it. */
function renewalOf({ id, namespace, hash, expiresAt, renewal }: TokenRecord): Renewal | undefined {
  if (!renewal?.isDerived) return undefined;
  return { id, namespace, secret: renewal.secret, hash, expiresAt };
}
