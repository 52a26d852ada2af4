import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Attestor, Claim, Evidence } from '../attest/attestor.ts';
import { Refused } from '../attest/refused.ts';
import type { Pool } from './pool.ts';

const PREFIX = 'slwp.';
const UID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The bytes of a token's payload: what it is for, the UID of that, its end in seconds, and what tells it from others of that second. */
const LENGTH = { kind: 1, uid: 16, end: 4, nonce: 4 };
const WHOLE = LENGTH.kind + LENGTH.uid + LENGTH.end + LENGTH.nonce;
const OF_MACHINE_POOL = 1;

/** Bootstrap data is written anew long before: Cluster API's kubeadm provider renews its own token, which lives for 15 minutes. */
export const POOL_TOKEN_MS = 24 * 60 * 60_000;

/** Machines ask again that often while there is no room for them. */
const NO_ROOM_MS = 60_000;

/**
 * The token of all machines of a MachinePool: its UID and an end, signed with the key that signs Machines' tokens, under another
 * label, so that neither passes for the other. Nothing of it is stored.
 */
export function mintPoolToken(uid: string, key: Uint8Array, now = Date.now()): string {
  if (!UID.test(uid)) throw new Error(`${uid} is no UID of an object`);
  const payload = Buffer.concat([Buffer.alloc(WHOLE - LENGTH.nonce), randomBytes(LENGTH.nonce)]);
  payload.writeUInt8(OF_MACHINE_POOL);
  payload.write(uid.replaceAll('-', ''), LENGTH.kind, 'hex');
  payload.writeUInt32BE(Math.floor((now + POOL_TOKEN_MS) / 1000), LENGTH.kind + LENGTH.uid);
  return `${PREFIX}${payload.toString('base64url')}.${macOf(payload, key).toString('base64url')}`;
}

function macOf(payload: Uint8Array, key: Uint8Array): Buffer {
  return createHmac('sha256', key).update('slipway pool token v1\0').update(payload).digest();
}

/** What the attestor needs to know of pools. */
interface KnownPools {
  byUid(uid: string): Pool | undefined;
  /** How many machines may come by its tokens now. */
  room(pool: Pool): number;
  /** A machine of it is about to become a node. */
  expect(pool: Pool): void;
  /** Nothing came of it. */
  giveBack(pool: Pool): void;
}

export class PoolTokenAttestor implements Attestor {
  readonly #keys: () => readonly Uint8Array[];
  readonly #pools: KnownPools;
  readonly #full: (pool: Pool) => void;

  /**
   * @param keys all that count; during a rotation there are two
   * @param full called with a pool of which too many machines come
   */
  constructor(keys: () => readonly Uint8Array[], pools: KnownPools, full: (pool: Pool) => void) {
    this.#keys = keys;
    this.#pools = pools;
    this.#full = full;
  }

  async attest({ token }: Evidence): Promise<Claim | undefined> {
    if (!token?.startsWith(PREFIX)) return undefined;
    const payload = this.#verified(token);
    const endsAt = payload.readUInt32BE(LENGTH.kind + LENGTH.uid) * 1000;
    const hex = payload.toString('hex', LENGTH.kind, LENGTH.kind + LENGTH.uid);
    const uid = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
    const pool = this.#pools.byUid(uid);
    if (!pool || pool.deleting) throw over(`the MachinePool of the token (UID ${uid}) is gone`);
    const { namespace, name, cluster } = pool;
    if (endsAt < Date.now()) throw over(`the token of MachinePool ${namespace}/${name} has expired`);
    if (endsAt - POOL_TOKEN_MS < pool.tokensFrom)
      throw over(`MachinePool ${namespace}/${name} takes newer tokens only`);
    return {
      method: 'pool-token',
      namespace,
      selector: { cluster, owner: `MachinePool/${name}` },
      token: publicName(payload),
      use: { take: async () => this.#take(uid), giveBack: () => this.#pools.giveBack(pool) },
    };
  }

  #verified(token: string): Buffer {
    const [payload, mac, ...more] = token
      .slice(PREFIX.length)
      .split('.')
      .map((part) => Buffer.from(part, 'base64url'));
    if (payload?.length !== WHOLE || mac?.length !== 32 || more.length > 0)
      throw new Refused('unauthorized', "the pool's token is damaged");
    if (!this.#keys().some((key) => timingSafeEqual(mac, macOf(payload, key))))
      throw new Refused('unauthorized', "the pool's token was not made by this controller");
    if (payload[0] !== OF_MACHINE_POOL)
      throw new Refused('unauthorized', "the pool's token is of a newer controller");
    return payload;
  }

  #take(uid: string): void {
    const pool = this.#pools.byUid(uid);
    if (!pool) throw new Refused('unauthorized', `the MachinePool of the token (UID ${uid}) is gone`);
    if (this.#pools.room(pool) <= 0) {
      this.#full(pool);
      // Not for ever: it may be one of the pool's own, among strangers.
      throw new Refused(
        'slow-down',
        `too many machines come for MachinePool ${pool.namespace}/${pool.name}`,
        {
          retryAfterMs: NO_ROOM_MS,
        },
      );
    }
    this.#pools.expect(pool);
  }
}

/** A genuine token that counts no longer: its machine is told why. */
function over(why: string): Refused {
  return new Refused('unauthorized', why, {
    ...{
      words: `Not accepted: ${why}. New machines get a newer token in their bootstrap data.`,
      isProved: true,
    },
  });
}

/** Names the token in logs and NodeBootstraps; says nothing of its signature. */
function publicName(payload: Uint8Array): string {
  return createHash('sha256').update(payload).digest('hex').slice(0, 10);
}
