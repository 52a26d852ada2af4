/**
 * Events: what a machine tells of its bootstrap, as it crosses the wire to a controller, a webhook or a hypervisor.
 *
 * They are derived from the journal's records and from what the reporter sees by itself; docs/protocol.md describes them
 * for people. An event holds no secret, is below `MAX_EVENT_BYTES`, and can be read without any other.
 */

/** Version of the schema; readers refuse another one with a sentence and ignore fields that they do not know. */
export const EVENTS_VERSION = 1;

/** A whole event as JSON is smaller than this (the guest-agent event limit of the clouds, 3 KiB). */
export const MAX_EVENT_BYTES = 3072;
/** Events in one batch. */
export const MAX_BATCH_EVENTS = 256;
/** A batch as JSON, after decompression. */
export const MAX_BATCH_BYTES = 1024 * 1024;
/** How deep arrays and objects of a body may nest; nothing of ours comes near. */
export const MAX_BODY_DEPTH = 16;
/** Lines of output that a failure carries. */
export const MAX_FAILURE_LINES = 3;

/** Who speaks. A reporter learns some of it late (a host name changes, a provider sets an ID); the last batch is right. */
export interface MachineIdentity {
  /** Instance id of the machine (cloud-init's sense), else its machine-id. Names the machine on the wire. */
  instance: string;
  hostname: string;
  /** `spec.providerID` of the Node, where it is known on the machine. */
  providerID?: string;
}

/** Fields that every event carries. */
export interface EventHead {
  v: typeof EVENTS_VERSION;
  machine: MachineIdentity;
  /** The kernel's boot id: the boot in which the event happened. */
  boot: string;
  /** The reporter's own count: per machine from 1, grows by one over restarts and reboots, never repeats within a boot. */
  seq: number;
  /** Wall clock, ISO 8601 in UTC with milliseconds. May jump; never use it for durations or for order. */
  time: string;
  /** Milliseconds since boot; only comparable between events of the same `boot`. */
  mono: number;
  /** W3C trace context: one trace per sequence, one span per attempt of a step. */
  traceparent: string;
  /** A text or list was shortened so that the event stays within its bound. */
  truncated?: true;
}

/** Why something failed; the same words as in outcome.json. */
export interface EventFailure {
  /** A code of the table of codes. A string here: an older reader must take a newer agent's codes. */
  code: string;
  cause: string;
  remedy: string;
  exitStatus?: number;
  /** The last relevant lines of output, redacted; at most `MAX_FAILURE_LINES`. */
  lines?: string[];
}

export interface EventStep {
  id: string;
  title: string;
}

/** `observed`: no Slipway bootstrap runs on this machine; cloud-init and kubeadm are watched from outside. */
export type SequenceMode = 'bootstrap' | 'shim' | 'observed';

export interface SequenceStartedEvent {
  type: 'sequence.started';
  sequence: string;
  mode: SequenceMode;
  /** Version of the agent that works; absent where there is none (`observed`). */
  agent?: string;
  steps: EventStep[];
  /** How many steps more there are than `steps` holds. */
  stepsOmitted?: number;
  deadlineSeconds?: number;
  /** It goes on with what an earlier process had begun. */
  resumed: boolean;
}

export type EventResult = 'succeeded' | 'failed' | 'transient' | 'bad-input' | 'deadline-exceeded';

/** The verdict. It also comes without a `sequence.started`, where nothing could be begun (bad user data). */
export interface SequenceEndedEvent {
  type: 'sequence.ended';
  sequence: string;
  mode: SequenceMode;
  result: EventResult;
  exitStatus: number;
  /** Active milliseconds. */
  ms: number;
  /** Step that failed. */
  step?: EventStep;
  failure?: EventFailure;
}

export interface StepStartedEvent {
  type: 'step.started';
  sequence: string;
  step: EventStep;
  attempt: number;
}

/** Where a step stands, such as a phase of kubeadm. */
export interface StepProgressEvent {
  type: 'step.progress';
  sequence: string;
  step: EventStep;
  message: string;
}

/** An attempt failed and another follows. */
export interface StepAttemptEvent {
  type: 'step.attempt';
  sequence: string;
  step: EventStep;
  attempt: number;
  ms: number;
  failure: EventFailure;
  retryInMs: number;
}

export interface StepEndedEvent {
  type: 'step.ended';
  sequence: string;
  step: EventStep;
  attempt: number;
  result: 'done' | 'failed' | 'skipped';
  /** Active milliseconds of the last attempt. */
  ms: number;
  message?: string;
  failure?: EventFailure;
}

/** Something noticed that does not stop the sequence. */
export interface FindingEvent {
  type: 'finding';
  severity: 'warning' | 'info';
  code: string;
  message: string;
  where?: string;
}

/** Something that is so on this machine: `kernel`, `os`, `cloud-init.datasource` ... */
export interface FactEvent {
  type: 'fact';
  name: string;
  value: string;
}

/** The bootstrap is alive though nothing else was told for a while. */
export interface HeartbeatEvent {
  type: 'heartbeat';
  sequence: string;
  step?: EventStep;
}

/** Cluster API's sentinel appeared: kubeadm has succeeded. */
export interface SentinelEvent {
  type: 'sentinel.seen';
  path: string;
}

/** What the kubelet and the cluster say of the Node. */
export interface NodeObservedEvent {
  type: 'node.observed';
  node: string;
  state: 'kubelet-healthy' | 'registered' | 'ready' | 'not-ready';
  /** Why not ready, in the Node's own words. */
  message?: string;
}

/** The process that bootstraps is gone or stuck, and left no verdict. Not final: another run may go on (`resumed`). */
export interface AgentLostEvent {
  type: 'agent.lost';
  sequence: string;
  /** `killed`: ended without a word. `hung`: alive but silent. `crashed`: ended by an error of its own. */
  how: 'crashed' | 'killed' | 'hung';
  pid: number;
  step?: EventStep;
  failure: EventFailure;
}

/** The agent's state was reset (`kubeadm reset`): what was told before no longer holds. */
export interface NodeResetEvent {
  type: 'node.reset';
}

/** Events that were made and are lost (disk and memory full, refused by every receiver); never silently. */
export interface EventsLostEvent {
  type: 'events.lost';
  count: number;
  why: string;
}

export type EventBody =
  | SequenceStartedEvent
  | SequenceEndedEvent
  | StepStartedEvent
  | StepProgressEvent
  | StepAttemptEvent
  | StepEndedEvent
  | FindingEvent
  | FactEvent
  | HeartbeatEvent
  | SentinelEvent
  | NodeObservedEvent
  | AgentLostEvent
  | NodeResetEvent
  | EventsLostEvent;

export type EventType = EventBody['type'];

export type SlipwayEvent = EventHead & EventBody;

/** What a reader makes of an event whose type a newer reporter invented: its head, so that it is stored and acknowledged. */
export type UnknownEvent = EventHead & { type: 'unknown'; kind: string };

export type ReadEvent = SlipwayEvent | UnknownEvent;

/** Body of `POST /v1/events`. Events stand in ascending order of `seq`. */
export interface EventBatch {
  version: typeof EVENTS_VERSION;
  machine: MachineIdentity;
  /** Version of the reporter. */
  reporter?: string;
  events: SlipwayEvent[];
}

/** The same as a receiver has read it. */
export type ReadBatch = Omit<EventBatch, 'events'> & { events: ReadEvent[] };

/** Answer 200 to `POST /v1/events`. */
export interface BatchReply {
  version: typeof EVENTS_VERSION;
  /** Every event of this batch up to and including this sequence number is stored for good. */
  stored: number;
  /** A sentence for the people who look at the node; it goes to the node's log. */
  words?: string;
}

/**
 * Why a request is refused: all that a stranger learns. `words` is only given to a machine that proved who it is.
 *
 * `bad-request` 400, `unsupported-version` 400, `unauthorized` 401, `forbidden` 403, `not-found` 404, `too-large` 413,
 * `slow-down` 429 and `unavailable` 503 (both with `Retry-After`).
 */
export type RefusalCode =
  | 'bad-request'
  | 'unsupported-version'
  | 'unauthorized'
  | 'forbidden'
  | 'not-found'
  | 'too-large'
  | 'slow-down'
  | 'unavailable';

export interface Refusal {
  error: RefusalCode;
  words?: string;
}

export const REFUSAL_STATUS: Record<RefusalCode, number> = {
  'bad-request': 400,
  'unsupported-version': 400,
  unauthorized: 401,
  forbidden: 403,
  'not-found': 404,
  'too-large': 413,
  'slow-down': 429,
  unavailable: 503,
};

/** Where the API's requests go, below an endpoint's URL. */
export const EVENTS_PATH = '/v1/events';
export const ENROL_PATH = '/v1/enroll';
