import { createHash, createHmac } from 'node:crypto';
import type { TokenRecord } from '../attest/token.ts';

/** As many as the secret part of any token has. */
const SECRET_BYTES = 24;

type Renewed = Pick<TokenRecord, 'id' | 'expiresAt'>;

/**
 * The renewed token of a record: its secret part comes of the key of Machines' tokens. So the controller, which keeps its hash, and the
 * minter, which puts it into a Secret, agree on it without a word that anybody could read.
 */
function renewedToken({ id, expiresAt }: Renewed, key: Uint8Array): string {
  const mac = createHmac('sha256', key).update(`slipway renewed token v1\0${id}\0${expiresAt}`).digest();
  return `slwt.${id}.${mac.subarray(0, SECRET_BYTES).toString('base64url')}`;
}

/** The token with this hash; undefined where none of the keys makes it. */
export function renewedTokenOf(
  { hash, ...renewed }: Renewed & { readonly hash: string },
  keys: readonly Uint8Array[],
): string | undefined {
  return keys.map((key) => renewedToken(renewed, key)).find((token) => hashOf(token) === hash);
}

/** Is it time? At two thirds of its life, so that what user data took from the Secret in time has a third left. */
export function isDue({ expiresAt, renewal }: TokenRecord, now = Date.now()): boolean {
  return renewal !== undefined && now >= expiresAt - renewal.lifetimeMs / 3;
}

/** @param keepsPrevious whether the one before counts until its own end */
export function renewRecord(
  record: TokenRecord,
  key: Uint8Array,
  keepsPrevious: boolean,
  now = Date.now(),
): TokenRecord {
  const { previous: _, renewal, ...rest } = record;
  if (!renewal) throw new Error(`token ${record.id} is not to be renewed`);
  const expiresAt = now + renewal.lifetimeMs;
  const { hash, expiresAt: until } = record;
  return {
    ...{ ...rest, expiresAt, hash: hashOf(renewedToken({ id: record.id, expiresAt }, key)) },
    renewal: { ...renewal, isDerived: true },
    ...(keepsPrevious && until > now ? { previous: { hash, expiresAt: until } } : {}),
  };
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
