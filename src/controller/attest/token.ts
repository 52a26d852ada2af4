import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
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
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Stores the records of tokens. */
export interface TokenBook {
  /** @throws StoreBusy */
  find(id: string): Promise<TokenRecord | undefined>;
  add(record: TokenRecord): Promise<void>;
}

/** Makes a token and its record. */
export function makeToken(about: Pick<TokenRecord, 'namespace' | 'machine' | 'expiresAt'>): {
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

export class TokenAttestor implements Attestor {
  readonly #book: TokenBook;

  constructor(book: TokenBook) {
    this.#book = book;
  }

  async attest({ token }: Evidence): Promise<Claim | undefined> {
    const id = token === undefined ? undefined : FORM.exec(token)?.[1];
    if (token === undefined || id === undefined) return undefined;
    const record = await this.#book.find(id);
    if (!record) throw new Refused('unauthorized', `there is no token ${id}`);
    if (!timingSafeEqual(hashOf(token), Buffer.from(record.hash, 'hex'))) {
      throw new Refused('unauthorized', `the secret part of token ${id} is wrong`);
    }
    if (record.expiresAt < Date.now()) throw new Refused('unauthorized', `token ${id} has run out`);
    return {
      method: record.machine === undefined ? 'pool-token' : 'token',
      namespace: record.namespace,
      token: id,
      ...(record.machine === undefined ? {} : { nodeName: record.machine }),
    };
  }
}
