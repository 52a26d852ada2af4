import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { MachineSelector } from '../model/selector.ts';
import type { Attestor, Claim, Evidence } from './attestor.ts';
import { Refused } from './refused.ts';

const FORM = /^slwt\.([a-z0-9]{10})\.([A-Za-z0-9_-]{32})$/;

/** The stored part of a token: enough to recognise it, not to make it. */
export interface TokenRecord {
  /** Public; names the token in logs and lists. */
  readonly id: string;
  /** SHA-256 in hex of the whole token. It has 192 random bits, so no slow hash is needed. */
  readonly hash: string;
  /** Namespace of the nodes that enrol with it. */
  readonly namespace: string;
  /** The only node that may use it; without it, the token serves a whole pool. */
  readonly machine?: string;
  /** Which Machines of the namespace it may tie. */
  readonly selector?: MachineSelector;
  /** How many machines may enrol with it; without it, any number. */
  readonly uses?: number;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** The one that this one renewed, and its end: user data may have it. */
  readonly previous?: { readonly hash: string; readonly expiresAt: number };
  /** It lies in a Secret of its namespace, and is renewed there before it ends. */
  readonly renewal?: {
    readonly secret: string;
    readonly lifetimeMs: number;
    /** When that was asked for: of several for one Secret, the last counts. Milliseconds since 1970. */
    readonly since: number;
    /** It comes of the key of Machines' tokens (`renewedToken`). */
    readonly isDerived?: true;
  };
}

/** What serving needs of the stored tokens. */
export interface ServingTokens {
  /** Finds a token at no cost, so that nobody notices a stranger's guesses. */
  find(id: string): TokenRecord | undefined;
  /**
   * Counts a use, for good.
   *
   * @returns false if the token is used up
   * @throws StoreBusy
   */
  take(id: string): Promise<boolean>;
  /** Nothing came of a use. */
  giveBack(id: string): void;
}

/** What people do with tokens. */
export interface TokenAdmin {
  add(record: TokenRecord): Promise<void>;
  list(): Promise<(TokenRecord & { used: number })[]>;
  /** It and those that follow are renewed no longer. */
  endRenewal(record: TokenRecord): Promise<void>;
  /** From now on nobody enrols with it. @returns false if there is none */
  revoke(id: string): Promise<boolean>;
}

/** Makes a token and its record. */
export function makeToken(about: Omit<TokenRecord, 'id' | 'hash'>): {
  token: string;
  record: TokenRecord;
} {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
  const id = Array.from(randomBytes(10), (byte) => alphabet[byte % 32]).join('');
  const token = `slwt.${id}.${randomBytes(24).toString('base64url')}`;
  return { token, record: { ...about, id, hash: hashOf(token).toString('hex') } };
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

const ANOTHER_TOKEN =
  'Make another one (slipway-controller token create) and put it where the user data of new machines takes it from.';

export class TokenAttestor implements Attestor {
  readonly #book: ServingTokens;

  constructor(book: ServingTokens) {
    this.#book = book;
  }

  async attest({ token }: Evidence): Promise<Claim | undefined> {
    const id = token === undefined ? undefined : FORM.exec(token)?.[1];
    if (token === undefined || id === undefined) return undefined;
    const record = this.#book.find(id);
    if (!record) throw new Refused('unauthorized', `there is no token ${id}`);
    const shown = [record, ...(record.previous ? [record.previous] : [])].find(({ hash }) =>
      timingSafeEqual(hashOf(token), Buffer.from(hash, 'hex')),
    );
    if (!shown) throw new Refused('unauthorized', `the secret part of token ${id} is wrong`);
    const { machine, namespace, selector } = record;
    const claim = { namespace, ...(selector === undefined ? {} : { selector }) };
    const over = (why: string): Refused =>
      new Refused('unauthorized', `token ${id} ${why}`, {
        ...{ words: `The token ${id} ${why}. ${ANOTHER_TOKEN}`, isProved: true, claim },
      });
    if (shown.expiresAt < Date.now()) throw over('has expired');
    const book = this.#book;
    return {
      method: machine === undefined ? 'pool-token' : 'token',
      namespace,
      token: id,
      ...(machine === undefined ? {} : { nodeName: machine }),
      ...(selector === undefined ? {} : { selector }),
      use: {
        take: async () => {
          if (!(await book.take(id))) throw over('has let in as many machines as it may');
        },
        giveBack: () => book.giveBack(id),
      },
    };
  }
}
