import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Attestor, Claim, Evidence } from './attestor.ts';
import { Refused } from './refused.ts';

const PREFIX = 'slwm.';
const UID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The bytes of a token's payload: the UID, its end in seconds, and the epoch, which tokens before 0.2 had not. */
const LENGTH = { uid: 16, end: 4, epoch: 2 };
const WHOLE = LENGTH.uid + LENGTH.end + LENGTH.epoch;
const WITHOUT_EPOCH = LENGTH.uid + LENGTH.end;

/** The last end that a token can have: it then counts until its Machine has a Node, is used, or is gone. In milliseconds since 1970. */
export const NEVER = 0xffff_ffff * 1000;

/**
 * The token of one Machine: its UID, expiry and epoch, signed with a key of the controller (HMAC-SHA-256). The
 * controller stores nothing of it, so nobody can steal it from the store. Each enrolment by such a token ends
 * its epoch (`MachineIdentities`), so it serves once.
 */
export function mintMachineToken(uid: string, epoch: number, expiresAt: number, key: Uint8Array): string {
  if (!UID.test(uid)) throw new Error(`${uid} is no UID of an object`);
  const payload = Buffer.alloc(WHOLE);
  payload.write(uid.replaceAll('-', ''), 'hex');
  payload.writeUInt32BE(Math.floor(expiresAt / 1000), LENGTH.uid);
  payload.writeUInt16BE(epoch, LENGTH.uid + LENGTH.end);
  return `${PREFIX}${payload.toString('base64url')}.${macOf(payload, key).toString('base64url')}`;
}

function macOf(payload: Uint8Array, key: Uint8Array): Buffer {
  const version = payload.length === WITHOUT_EPOCH ? 1 : 2;
  return createHmac('sha256', key).update(`slipway machine token v${version}\0`).update(payload).digest();
}

/** Finds Machines by their UID. */
interface MachinesByUid {
  byUid(uid: string): { readonly namespace: string } | undefined;
}

export class MachineTokenAttestor implements Attestor {
  readonly #keys: () => readonly Uint8Array[];
  readonly #machines: MachinesByUid;

  /** @param keys all that count; during a rotation there are two */
  constructor(keys: () => readonly Uint8Array[], machines: MachinesByUid) {
    this.#keys = keys;
    this.#machines = machines;
  }

  async attest({ token }: Evidence): Promise<Claim | undefined> {
    if (!token?.startsWith(PREFIX)) return undefined;
    const [payload, mac, ...more] = token
      .slice(PREFIX.length)
      .split('.')
      .map((part) => Buffer.from(part, 'base64url'));
    const isPayload = payload?.length === WHOLE || payload?.length === WITHOUT_EPOCH;
    if (!payload || !isPayload || mac?.length !== 32 || more.length > 0) {
      throw new Refused('unauthorized', 'the machine token is damaged');
    }
    if (!this.#keys().some((key) => timingSafeEqual(mac, macOf(payload, key)))) {
      throw new Refused('unauthorized', 'the machine token was not made by this controller');
    }
    if (payload.readUInt32BE(LENGTH.uid) * 1000 < Date.now())
      throw new Refused('unauthorized', 'the machine token has run out');
    const hex = payload.toString('hex', 0, LENGTH.uid);
    const uid = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
    const machine = this.#machines.byUid(uid);
    if (!machine) throw new Refused('unauthorized', `the Machine of the token (UID ${uid}) is gone`);
    const epoch = payload.length === WHOLE ? payload.readUInt16BE(WITHOUT_EPOCH) : 0;
    return { method: 'machine-token', namespace: machine.namespace, machineUid: uid, epoch };
  }
}
