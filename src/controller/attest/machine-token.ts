import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Attestor, Claim, Evidence } from './attestor.ts';
import { Refused } from './refused.ts';

const PREFIX = 'slwm.';
const UID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * The token of one Machine: its UID and expiry, signed with a key of the controller (HMAC-SHA-256). The
 * controller stores nothing of it, so nobody can steal it from the store, and it costs nothing per machine.
 * The Machine's only NodeBootstrap ensures that the token serves once.
 */
export function mintMachineToken(uid: string, expiresAt: number, key: Uint8Array): string {
  if (!UID.test(uid)) throw new Error(`${uid} is no UID of an object`);
  const payload = Buffer.alloc(20);
  payload.write(uid.replaceAll('-', ''), 'hex');
  payload.writeUInt32BE(Math.floor(expiresAt / 1000), 16);
  return `${PREFIX}${payload.toString('base64url')}.${macOf(payload, key).toString('base64url')}`;
}

function macOf(payload: Uint8Array, key: Uint8Array): Buffer {
  return createHmac('sha256', key).update('slipway machine token v1\0').update(payload).digest();
}

/** Finds Machines by their UID. */
export interface MachinesByUid {
  byUid(uid: string): { readonly namespace: string } | undefined;
}

export class MachineTokenAttestor implements Attestor {
  readonly #key: Uint8Array;
  readonly #machines: MachinesByUid;

  constructor(key: Uint8Array, machines: MachinesByUid) {
    this.#key = key;
    this.#machines = machines;
  }

  async attest({ token }: Evidence): Promise<Claim | undefined> {
    if (!token?.startsWith(PREFIX)) return undefined;
    const [payload, mac, ...more] = token
      .slice(PREFIX.length)
      .split('.')
      .map((part) => Buffer.from(part, 'base64url'));
    if (payload?.length !== 20 || mac?.length !== 32 || more.length > 0) {
      throw new Refused('unauthorized', 'the machine token is damaged');
    }
    if (!timingSafeEqual(mac, macOf(payload, this.#key))) {
      throw new Refused('unauthorized', 'the machine token was not made by this controller');
    }
    if (payload.readUInt32BE(16) * 1000 < Date.now())
      throw new Refused('unauthorized', 'the machine token has run out');
    const hex = payload.toString('hex', 0, 16);
    const uid = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
    const machine = this.#machines.byUid(uid);
    if (!machine) throw new Refused('unauthorized', `the Machine of the token (UID ${uid}) is gone`);
    return { method: 'machine-token', namespace: machine.namespace, machineUid: uid };
  }
}
