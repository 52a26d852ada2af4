/** Reads `POST /v1/events` and its answer. Agent and controller share it, so that they agree. */

import {
  EVENTS_VERSION,
  type EventBody,
  type EventFailure,
  type EventHead,
  type EventStep,
  type EventType,
  MAX_EVENT_BYTES,
  MAX_FAILURE_LINES,
  type MachineIdentity,
  type ReadEvent,
} from './events.ts';
import {
  type BatchReply,
  type CheckInWish,
  MAX_BATCH_BYTES,
  MAX_BATCH_EVENTS,
  MIN_CHECKIN_SECONDS,
  type ReadBatch,
} from './exchange.ts';
import { RESULTS, SEVERITIES } from './journal.ts';
import { CODE, TIME } from './validators.ts';
import {
  asObject,
  integer,
  list,
  looseText,
  oneOf,
  optional,
  parseBody,
  printable,
  text,
  textMatching,
  version,
  WireError,
  type WireObject,
} from './wire.ts';

const ID = 256;
const TEXT = MAX_EVENT_BYTES;
const BIG = Number.MAX_SAFE_INTEGER;
const MODES = ['bootstrap', 'shim', 'observed'] as const;
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * Reads a batch from a request's (decompressed) body.
 *
 * @throws WireError whose `code` goes to the sender
 */
export function readBatch(bytes: Uint8Array): ReadBatch {
  const body = parseBody(bytes, MAX_BATCH_BYTES);
  version(body, 'version', EVENTS_VERSION);
  const machine = readMachine(body);
  const events = list(body, 'events', MAX_BATCH_EVENTS).map((item) => readEvent(item, machine));
  let last = 0;
  for (const { seq, machine: speaker } of events) {
    if (seq <= last) throw new WireError('bad-request', 'events are not in ascending order of seq');
    if (speaker.instance !== machine.instance)
      throw new WireError('bad-request', 'an event is of another machine than the batch');
    last = seq;
  }
  return {
    version: EVENTS_VERSION,
    machine,
    ...optional(body, 'reporter', (from, key) => text(from, key, ID)),
    events,
  };
}

/**
 * @param sender whose batch it is in, the same object for all of its events
 * @throws WireError if it is no event of this version or larger than an event may be
 */
export function readEvent(value: unknown, sender?: MachineIdentity): ReadEvent {
  const from = asObject(value, 'an event');
  const head: EventHead = {
    v: version(from, 'v', EVENTS_VERSION),
    machine: sender && isSame(from.machine, sender) ? sender : readMachine(from),
    boot: text(from, 'boot', ID),
    seq: integer(from, 'seq', 1, BIG),
    time: textMatching(from, 'time', TIME),
    mono: integer(from, 'mono', 0, BIG),
    traceparent: textMatching(from, 'traceparent', TRACEPARENT),
    ...(from.truncated === true ? { truncated: true as const } : {}),
  };
  const type = text(from, 'type', ID);
  const read = Object.hasOwn(BODIES, type) ? BODIES[type as EventType] : undefined;
  if (!read) return { ...head, type: 'unknown', kind: type };
  const event = { ...head, ...read(from) } as ReadEvent;
  if (Buffer.byteLength(JSON.stringify(event)) >= MAX_EVENT_BYTES)
    throw new WireError('too-large', `an event has ${MAX_EVENT_BYTES} bytes or more`);
  return event;
}

/** True for what reads as the sender, so that it need not be read again in each event. */
function isSame(machine: unknown, { instance, hostname, providerID }: MachineIdentity): boolean {
  const { instance: itsInstance, hostname: itsName, providerID: itsId } = (machine ?? {}) as WireObject;
  return itsInstance === instance && itsName === hostname && itsId === providerID;
}

/** Reads the field `machine`. */
export function readMachine(from: WireObject): MachineIdentity {
  const machine = asObject(from.machine, 'machine');
  return {
    instance: text(machine, 'instance', ID),
    hostname: text(machine, 'hostname', ID),
    ...optional(machine, 'providerID', (it, key) => text(it, key, 512)),
  };
}

/** @throws WireError if it is no answer of this version */
export function readReply(bytes: Uint8Array): BatchReply {
  const body = parseBody(bytes, MAX_BATCH_BYTES);
  return {
    version: version(body, 'version', EVENTS_VERSION),
    stored: integer(body, 'stored', 0, BIG),
    ...optional(body, 'words', (from, key) => text(from, key, TEXT)),
    ...readCheckInWish(body),
  };
}

/** The field `checkin` of any answer. @throws WireError */
export function readCheckInWish(body: WireObject): { checkin?: CheckInWish } {
  return optional(body, 'checkin', (from, key) => ({
    everySeconds: integer(asObject(from[key], key), 'everySeconds', MIN_CHECKIN_SECONDS, BIG),
  }));
}

type BodyReaders = { [T in EventType]: (from: WireObject) => Extract<EventBody, { type: T }> };

const BODIES: BodyReaders = {
  'sequence.started': (from) => ({
    type: 'sequence.started',
    sequence: text(from, 'sequence', ID),
    mode: oneOf(from, 'mode', MODES),
    ...optional(from, 'agent', (it, key) => text(it, key, ID)),
    steps: list(from, 'steps', 256).map((item) => stepIn(asObject(item, 'a step'))),
    ...optional(from, 'stepsOmitted', (it, key) => integer(it, key, 1, BIG)),
    ...optional(from, 'deadlineSeconds', (it, key) => integer(it, key, 1, BIG)),
    resumed: from.resumed === true,
  }),
  'sequence.ended': (from) => ({
    type: 'sequence.ended',
    sequence: text(from, 'sequence', ID),
    mode: oneOf(from, 'mode', MODES),
    result: oneOf(from, 'result', RESULTS),
    exitStatus: integer(from, 'exitStatus', 0, 65_535),
    ms: integer(from, 'ms', 0, BIG),
    ...(from.isNodeUnknown === true ? { isNodeUnknown: true } : {}),
    ...optional(from, 'step', step),
    ...optional(from, 'failure', failure),
  }),
  'step.started': (from) => ({
    type: 'step.started',
    sequence: text(from, 'sequence', ID),
    step: step(from, 'step'),
    attempt: integer(from, 'attempt', 1, BIG),
  }),
  'step.progress': (from) => ({
    type: 'step.progress',
    sequence: text(from, 'sequence', ID),
    step: step(from, 'step'),
    message: looseText(from, 'message', TEXT),
  }),
  'step.attempt': (from) => ({
    type: 'step.attempt',
    sequence: text(from, 'sequence', ID),
    step: step(from, 'step'),
    attempt: integer(from, 'attempt', 1, BIG),
    ms: integer(from, 'ms', 0, BIG),
    failure: failure(from, 'failure'),
    retryInMs: integer(from, 'retryInMs', 0, BIG),
  }),
  'step.ended': (from) => ({
    type: 'step.ended',
    sequence: text(from, 'sequence', ID),
    step: step(from, 'step'),
    attempt: integer(from, 'attempt', 0, BIG),
    result: oneOf(from, 'result', ['done', 'failed']),
    ms: integer(from, 'ms', 0, BIG),
    ...optional(from, 'message', (it, key) => looseText(it, key, TEXT)),
    ...optional(from, 'failure', failure),
  }),
  finding: (from) => ({
    type: 'finding',
    severity: oneOf(from, 'severity', SEVERITIES),
    code: textMatching(from, 'code', CODE),
    message: looseText(from, 'message', TEXT),
    ...optional(from, 'where', (it, key) => text(it, key, ID)),
  }),
  fact: (from) => ({
    type: 'fact',
    name: text(from, 'name', ID),
    value: looseText(from, 'value', TEXT),
  }),
  heartbeat: (from) => ({
    type: 'heartbeat',
    sequence: text(from, 'sequence', ID),
    ...optional(from, 'step', step),
  }),
  'sentinel.seen': (from) => ({ type: 'sentinel.seen', path: text(from, 'path', ID) }),
  'node.observed': (from) => ({
    type: 'node.observed',
    node: text(from, 'node', ID),
    state: oneOf(from, 'state', ['kubelet-healthy', 'registered', 'ready', 'not-ready']),
    ...optional(from, 'message', (it, key) => looseText(it, key, TEXT)),
    ...optional(from, 'providerID', (it, key) => text(it, key, 512)),
  }),
  'agent.lost': (from) => ({
    type: 'agent.lost',
    sequence: text(from, 'sequence', ID),
    how: oneOf(from, 'how', ['crashed', 'killed', 'hung']),
    pid: integer(from, 'pid', 0, BIG),
    ...optional(from, 'step', step),
    failure: failure(from, 'failure'),
  }),
  'node.reset': () => ({ type: 'node.reset' }),
  'events.lost': (from) => ({
    type: 'events.lost',
    count: integer(from, 'count', 1, BIG),
    why: looseText(from, 'why', TEXT),
  }),
};

function step(from: WireObject, key: string): EventStep {
  return stepIn(asObject(from[key], key));
}

function stepIn(from: WireObject): EventStep {
  return { id: text(from, 'id', ID), title: text(from, 'title', ID) };
}

function failure(from: WireObject, key: string): EventFailure {
  const it = asObject(from[key], key);
  return {
    code: textMatching(it, 'code', CODE),
    // People read these in conditions, where nothing at all helps nobody.
    cause: orElse(looseText(it, 'cause', TEXT), 'It gave no cause.'),
    remedy: orElse(looseText(it, 'remedy', TEXT), 'Look at the console of the machine.'),
    ...optional(it, 'exitStatus', (of, name) => integer(of, name, 0, 65_535)),
    ...optional(it, 'lines', (of, name) => list(of, name, MAX_FAILURE_LINES).map(line)),
  };
}

function line(value: unknown): string {
  if (typeof value === 'string' && value.length <= TEXT && value.isWellFormed()) return printable(value);
  throw new WireError('bad-request', 'a line of output is not a text');
}

/** A text that says nothing gives place to one that does. */
function orElse(text: string, other: string): string {
  return text.trim() === '' ? other : text;
}
