/** How events get from a reporter to a receiver: requests, answers, refusals and their bounds. docs/protocol.md has it for people. */
import type { EVENTS_VERSION, MachineIdentity, ReadEvent, SlipwayEvent } from './events.ts';

/** Most events in one batch. */
export const MAX_BATCH_EVENTS = 256;
/** Upper bound of a batch's JSON after decompression. */
export const MAX_BATCH_BYTES = 1024 * 1024;
/** Deepest nesting of arrays and objects in a body; real ones stay far below. */
export const MAX_BODY_DEPTH = 16;

/** Body of `POST /v1/events`, with events in ascending order of `seq`. */
export interface EventBatch {
  version: typeof EVENTS_VERSION;
  machine: MachineIdentity;
  /** Version of the reporter. */
  reporter?: string;
  events: SlipwayEvent[];
}

/** The batch as a receiver reads it. */
export type ReadBatch = Omit<EventBatch, 'events'> & { events: ReadEvent[] };

/** What the controller wants of a machine that has told everything. */
export interface CheckInWish {
  everySeconds: number;
}

/** A controller that asks for more check-ins than this has a fault. */
export const MIN_CHECKIN_SECONDS = 60;

/** The answer (200) to `POST /v1/events`. */
export interface BatchReply {
  version: typeof EVENTS_VERSION;
  /** The receiver has stored every event of this batch up to and including this sequence number for good. */
  stored: number;
  /** A sentence for the people who look at the node; the reporter logs it there. */
  words?: string;
  /** Once the bootstrap is over: how often the machine is to check in after that. Absent: never. */
  checkin?: CheckInWish;
}

/**
 * Why the receiver refuses a request. A stranger learns nothing more; only a machine that proved its identity
 * gets `words`.
 *
 * `bad-request` 400, `unsupported-version` 400, `unauthorized` 401, `forbidden` 403, `not-found` 404,
 * `too-large` 413, `unprocessable` 422 (the store will never take it), `slow-down` 429 and `unavailable` 503
 * (both with `Retry-After`).
 */
export type RefusalCode =
  | 'bad-request'
  | 'unsupported-version'
  | 'unauthorized'
  | 'forbidden'
  | 'not-found'
  | 'too-large'
  | 'unprocessable'
  | 'slow-down'
  | 'unavailable';

/** What a refusal wants of a machine that may come again, on the same connection: the proof that it is its Machine's Node. */
export const WANTS_NODE = 'node';

export interface Refusal {
  error: RefusalCode;
  words?: string;
  /** The stable code of what an operator can do; with `words` only. */
  reason?: string;
  /** What the machine may show beside its token, on the same connection; with `words` only. */
  wants?: typeof WANTS_NODE;
}

export const REFUSAL_STATUS: Record<RefusalCode, number> = {
  'bad-request': 400,
  'unsupported-version': 400,
  unauthorized: 401,
  forbidden: 403,
  'not-found': 404,
  'too-large': 413,
  unprocessable: 422,
  'slow-down': 429,
  unavailable: 503,
};

/** Path of the API's requests below an endpoint's URL. */
export const EVENTS_PATH = '/v1/events';
export const ENROL_PATH = '/v1/enroll';
