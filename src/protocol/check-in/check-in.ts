/**
 * The check-in (`POST /v1/checkin`): a machine that has told everything asks from time to time whether the controller lacks
 * something of it. Later requests of the controller are further fields of the answer; whoever does not know one ignores it.
 */
import type { MachineIdentity } from '../events.ts';
import type { CheckInWish } from '../exchange.ts';
import { readCheckInWish, readMachine } from '../read-events.ts';
import { asObject, integer, oneOf, optional, parseBody, textMatching, version } from '../wire.ts';

export const CHECKIN_VERSION = 1;
export const CHECKIN_PATH = '/v1/checkin';
/** Upper bound of a request or an answer. A stranger costs its receiver no more. */
export const MAX_CHECKIN_BYTES = 16 * 1024;

export interface CheckInRequest {
  version: typeof CHECKIN_VERSION;
  machine: MachineIdentity;
  /** The highest number that the controller has acknowledged; absent: it only asks whether it may ask. */
  told?: { seq: number };
  /** Without a certificate: asks whether this token would do. It is not spent. */
  token?: string;
}

const WANTS = ['nothing', 'events'] as const;

export interface CheckInReply {
  version: typeof CHECKIN_VERSION;
  /** `events`: the controller lacks some that it has acknowledged once. */
  wants: (typeof WANTS)[number];
  /** Absent: no more check-ins. */
  checkin?: CheckInWish;
}

/** As an enrolment has it. */
const TOKEN = /^[\x21-\x7e]{16,256}$/;
const MAX_SEQ = Number.MAX_SAFE_INTEGER;

/** @throws WireError */
export function readCheckInRequest(bytes: Uint8Array): CheckInRequest {
  const body = parseBody(bytes, MAX_CHECKIN_BYTES);
  return {
    version: version(body, 'version', CHECKIN_VERSION),
    machine: readMachine(body),
    ...optional(body, 'told', (from, key) => ({ seq: integer(asObject(from[key], key), 'seq', 0, MAX_SEQ) })),
    ...optional(body, 'token', (from, key) => textMatching(from, key, TOKEN)),
  };
}

/** @throws WireError */
export function readCheckInReply(bytes: Uint8Array): CheckInReply {
  const body = parseBody(bytes, MAX_CHECKIN_BYTES);
  return {
    version: version(body, 'version', CHECKIN_VERSION),
    wants: oneOf(body, 'wants', WANTS),
    ...readCheckInWish(body),
  };
}
