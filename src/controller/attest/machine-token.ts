import { createHash, createHmac, timingSafeEqual, verify } from 'node:crypto';
import { keyOfNode } from '../../pki/chain/node-certificate.ts';
import { nodeProofText } from '../../protocol/enrolment.ts';
import type { Attestor, Claim, Evidence } from './attestor.ts';
import { Refused } from './refused.ts';

const PREFIX = 'slwm.';
const UID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Byte lengths in a token's payload, in this order. */
const BYTES = { uid: 16, end: 4, epoch: 2, name: 16, authority: 32 };
const END_AT = BYTES.uid;
const EPOCH_AT = END_AT + BYTES.end;
const NAME_AT = EPOCH_AT + BYTES.epoch;
const AUTHORITIES_AT = NAME_AT + BYTES.name;
/** More make the token longer than the protocol takes. */
export const MAX_AUTHORITIES = 3;

/** The last end that a token can have: it then counts until its Machine has a Node, is used, or is gone. In milliseconds since 1970. */
export const NEVER = 0xffff_ffff * 1000;

/** Whom a token is for. */
interface TokenMachine {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** SHA-256 (hex) of the public keys of the workload cluster's authorities, as the machine's user data names them. */
  readonly authorities?: readonly string[];
}

/**
 * The token of one Machine: its UID, expiry, epoch and name, and which authorities its Node's certificate comes from, signed with a key
 * of the controller (HMAC-SHA-256). The controller stores nothing of it, so nobody can steal it from the store. Each enrolment by such
 * a token ends its epoch (`MachineIdentities`), so it serves once.
 */
export function mintMachineToken(
  { uid, namespace, name, authorities = [] }: TokenMachine,
  epoch: number,
  expiresAt: number,
  key: Uint8Array,
): string {
  if (!UID.test(uid)) throw new Error(`${uid} is no UID of an object`);
  const fixed = Buffer.alloc(NAME_AT);
  fixed.write(uid.replaceAll('-', ''), 'hex');
  fixed.writeUInt32BE(Math.floor(expiresAt / 1000), END_AT);
  fixed.writeUInt16BE(epoch, EPOCH_AT);
  const payload = Buffer.concat([
    fixed,
    digestOfName(namespace, name),
    ...authorities.slice(0, MAX_AUTHORITIES).map((digest) => Buffer.from(digest, 'hex')),
  ]);
  return `${PREFIX}${payload.toString('base64url')}.${macOf(payload, key).toString('base64url')}`;
}

/** What a genuine token says. */
export interface MachineToken {
  readonly uid: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  readonly epoch: number;
  readonly authorities: readonly string[];
  /** Was it made for a Machine of this name? Tokens of earlier versions name none. */
  isFor(namespace: string, name: string): boolean;
}

/**
 * @param keys all that count; during a rotation there are two
 * @returns undefined if it is another kind of token
 * @throws Refused if it is damaged, or no controller with these keys made it
 */
export function readMachineToken(token: string, keys: readonly Uint8Array[]): MachineToken | undefined {
  if (!token.startsWith(PREFIX)) return undefined;
  const [payload, mac, ...more] = token
    .slice(PREFIX.length)
    .split('.')
    .map((part) => Buffer.from(part, 'base64url'));
  if (!payload || versionOf(payload) === undefined || mac?.length !== 32 || more.length > 0)
    throw new Refused('unauthorized', 'the machine token is damaged');
  if (!keys.some((key) => timingSafeEqual(mac, macOf(payload, key))))
    throw new Refused('unauthorized', 'the machine token was not made by this controller');
  const uid = payload
    .toString('hex', 0, BYTES.uid)
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  const named = payload.subarray(NAME_AT, AUTHORITIES_AT);
  return {
    uid,
    expiresAt: payload.readUInt32BE(END_AT) * 1000,
    epoch: payload.length === EPOCH_AT ? 0 : payload.readUInt16BE(EPOCH_AT),
    authorities: Array.from(
      { length: Math.max(0, payload.length - AUTHORITIES_AT) / BYTES.authority },
      (_, index) => {
        const at = AUTHORITIES_AT + index * BYTES.authority;
        return payload.toString('hex', at, at + BYTES.authority);
      },
    ),
    isFor: (namespace, name) => named.equals(digestOfName(namespace, name)),
  };
}

/** 1: UID and end. 2: with an epoch. 3: with a name and authorities. Each length belongs to one version. */
function versionOf({ length }: Uint8Array): 1 | 2 | 3 | undefined {
  if (length === EPOCH_AT) return 1;
  if (length === NAME_AT) return 2;
  const authorities = (length - AUTHORITIES_AT) / BYTES.authority;
  return Number.isInteger(authorities) && authorities >= 0 && authorities <= MAX_AUTHORITIES ? 3 : undefined;
}

function macOf(payload: Uint8Array, key: Uint8Array): Buffer {
  return createHmac('sha256', key)
    .update(`slipway machine token v${versionOf(payload)}\0`)
    .update(payload)
    .digest();
}

function digestOfName(namespace: string, name: string): Buffer {
  return createHash('sha256').update(`${namespace}/${name}`).digest().subarray(0, BYTES.name);
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

  async attest({ token = '', node, csr, channel }: Evidence): Promise<Claim | undefined> {
    const said = readMachineToken(token, this.#keys());
    if (!said) return undefined;
    const { uid, epoch, authorities, expiresAt } = said;
    const machine = this.#machines.byUid(uid);
    if (!machine)
      throw new Refused('unauthorized', `the Machine of the token (UID ${uid}) is gone`, {
        ...{ words: GONE, isProved: true },
      });
    const claim = { method: 'machine-token', namespace: machine.namespace, machineUid: uid, epoch };
    if (expiresAt < Date.now())
      throw new Refused('unauthorized', 'the machine token has run out', {
        ...{ words: RUN_OUT, isProved: true, claim },
      });
    if (authorities.length === 0) return claim;
    const objection = (nodeName: string): string | undefined => {
      if (!node) return undefined;
      // The token names them, from the Machine's own user data: so nobody reads the cluster's Secrets for it, or asks a server that
      // somebody may imitate.
      const key = keyOfNode({ ...node, nodeName, authorities });
      if (typeof key === 'string') return key;
      const isSigned = verify('sha256', nodeProofText(csr, channel), key, node.signature);
      return isSigned ? undefined : "the kubelet's key did not sign this request on this connection";
    };
    return { ...claim, lateProof: { isShown: node !== undefined, objection } };
  }
}

const RUN_OUT =
  "The token of this machine's Machine has expired. To make another one, delete the Secret MACHINE-slipway-token, or create the Machine anew.";
const GONE =
  'The Machine that this token was made for does not exist any more. After clusterctl move, a machine that had not enrolled before needs a new token.';
