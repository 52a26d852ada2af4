/**
 * Events: what a machine reports of its bootstrap to a controller, a webhook or a hypervisor.
 *
 * The reporter derives them from the journal's records and from what it observes itself; docs/protocol.md
 * describes them for people. An event holds no secret, is smaller than `MAX_EVENT_BYTES`, and makes sense
 * without other events.
 */
import type { Result, Severity } from './journal.ts';

/** Version of the schema. Readers refuse another version with a sentence and ignore unknown fields. */
export const EVENTS_VERSION = 1;

/** Every event's JSON is smaller than this: the clouds' limit for guest-agent events is 3 KiB. */
export const MAX_EVENT_BYTES = 3072;
/** Most lines of output in a failure. */
export const MAX_FAILURE_LINES = 3;

/**
 * Who sends the events. A reporter learns some of it late (a host name changes, a provider sets an ID), so
 * the last batch is right.
 */
export interface MachineIdentity {
  /** The instance id (in cloud-init's sense), else the machine-id. Identifies the machine on the wire. */
  instance: string;
  hostname: string;
  /** `spec.providerID` of the Node, if the machine knows it. */
  providerID?: string;
}

/** The fields of every event. */
export interface EventHead {
  v: typeof EVENTS_VERSION;
  machine: MachineIdentity;
  /** The kernel's boot id at the time of the event. */
  boot: string;
  /**
   * The reporter's count of this machine's events: starts at 1, continues over restarts and reboots, and
   * never repeats within a boot.
   */
  seq: number;
  /** Wall clock, ISO 8601 in UTC with milliseconds. It may jump: never use it for durations or order. */
  time: string;
  /** Milliseconds since boot; compare them only within the same `boot`. */
  mono: number;
  /** W3C trace context: one trace per sequence, one span per attempt of a step. */
  traceparent: string;
  /** The reporter shortened a text or list to keep the event within its bound. */
  truncated?: true;
}

/** Why something failed; outcome.json has the same words. */
export interface EventFailure {
  /** A code of the table. It is a string so that an older reader accepts a newer agent's codes. */
  code: string;
  cause: string;
  remedy: string;
  exitStatus?: number;
  /** The last relevant lines of output, without secrets; at most `MAX_FAILURE_LINES`. */
  lines?: string[];
}

export interface EventStep {
  id: string;
  title: string;
}

/** `observed`: Slipway does not bootstrap this machine; the reporter only watches cloud-init and kubeadm. */
export type SequenceMode = 'bootstrap' | 'shim' | 'observed';

interface SequenceStartedEvent {
  type: 'sequence.started';
  sequence: string;
  mode: SequenceMode;
  /** Version of the agent that bootstraps; absent if there is none (`observed`). */
  agent?: string;
  steps: EventStep[];
  /** How many further steps `steps` leaves out. */
  stepsOmitted?: number;
  deadlineSeconds?: number;
  /** The agent continues what an earlier process began. */
  resumed: boolean;
}

/** The verdict. If bad user data prevents the start, it comes without a `sequence.started`. */
export interface SequenceEndedEvent {
  type: 'sequence.ended';
  sequence: string;
  mode: SequenceMode;
  result: Result;
  exitStatus: number;
  /** Active milliseconds. */
  ms: number;
  /** It succeeded, and nothing shows whether the user data was to make a node. */
  isNodeUnknown?: true;
  /** The step that failed. */
  step?: EventStep;
  failure?: EventFailure;
}

interface StepStartedEvent {
  type: 'step.started';
  sequence: string;
  step: EventStep;
  attempt: number;
}

/** How far a step has come, for example the phase of kubeadm. */
interface StepProgressEvent {
  type: 'step.progress';
  sequence: string;
  step: EventStep;
  message: string;
}

/** An attempt failed, and another follows: in the journal a `step.ended` with `retryInMs`. */
interface StepAttemptEvent {
  type: 'step.attempt';
  sequence: string;
  step: EventStep;
  attempt: number;
  ms: number;
  failure: EventFailure;
  retryInMs: number;
}

interface StepEndedEvent {
  type: 'step.ended';
  sequence: string;
  step: EventStep;
  attempt: number;
  result: 'done' | 'failed';
  /** Active milliseconds of the last attempt. */
  ms: number;
  message?: string;
  failure?: EventFailure;
}

/** The agent noticed something that does not stop the sequence. */
export interface FindingEvent {
  type: 'finding';
  severity: Severity;
  code: string;
  message: string;
  where?: string;
}

/** A property of this machine: `kernel`, `os`, `cloud-init.datasource` ... */
export interface FactEvent {
  type: 'fact';
  name: string;
  value: string;
}

/** The bootstrap is alive, although nothing else was reported for a while. */
interface HeartbeatEvent {
  type: 'heartbeat';
  sequence: string;
  step?: EventStep;
}

/** Cluster API's sentinel appeared: kubeadm has succeeded. */
interface SentinelEvent {
  type: 'sentinel.seen';
  path: string;
}

/** What the kubelet and the cluster say about the Node. */
export interface NodeObservedEvent {
  type: 'node.observed';
  node: string;
  state: 'kubelet-healthy' | 'registered' | 'ready' | 'not-ready';
  /** Why not ready, in the Node's own words. */
  message?: string;
  /** `spec.providerID` of the Node as the cluster has it; absent while it has none. */
  providerID?: string;
}

/**
 * The bootstrapping process is gone or stuck and left no verdict. This is not final: another run may resume.
 */
export interface AgentLostEvent {
  type: 'agent.lost';
  sequence: string;
  /** `killed`: ended silently. `hung`: alive but silent. `crashed`: ended by its own error. */
  how: 'crashed' | 'killed' | 'hung';
  pid: number;
  step?: EventStep;
  failure: EventFailure;
}

/** Somebody reset the agent's state (`kubeadm reset`): earlier events no longer apply. */
interface NodeResetEvent {
  type: 'node.reset';
}

/** Events that were lost: disk and memory were full, or every receiver refused them. No loss is silent. */
interface EventsLostEvent {
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

/**
 * How a reader represents an event whose type a newer reporter invented: only the head, so that it can store
 * and acknowledge it.
 */
type UnknownEvent = EventHead & { type: 'unknown'; kind: string };

export type ReadEvent = SlipwayEvent | UnknownEvent;
