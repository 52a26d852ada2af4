/**
 * Sums up all events of a machine: small, bounded, enough for its conditions and for a line in a table. The
 * controller stores it beside the events, so that nobody has to read them again.
 */

import type { EventFailure, EventStep, ReadEvent, SequenceMode } from '../../protocol/events.ts';
import { CAPACITY_LABELS_FACT, CAPACITY_TAINTS_FACT, MAX_CAPACITY_LIST } from '../../protocol/facts.ts';

/**
 * `Waiting`: enrolled, no report yet. `Lost`: the agent died or hangs; another run may resume. `Reset`:
 * somebody ran kubeadm reset, so earlier reports no longer apply.
 */
export type Phase = 'Waiting' | 'Running' | 'Succeeded' | 'Failed' | 'Lost' | 'Reset';

export interface StepSummary extends EventStep {
  result: 'pending' | 'running' | 'retrying' | 'done' | 'failed';
  attempts: number;
  /** Milliseconds of the last finished attempt. */
  ms: number;
  /** The code of the last failed attempt, even if a later one succeeded. */
  code?: string;
}

/** No real sequence has as many steps; a hostile one may. */
export const MAX_STEPS = 64;

export interface Summary {
  phase: Phase;
  mode?: SequenceMode;
  agent?: string;
  sequence?: string;
  /** The boots of its events, oldest first; the last is the current one. */
  boots: string[];
  /** Start of the sequence, by the node's clock. */
  startedAt?: string;
  endedAt?: string;
  /** Active milliseconds of a finished sequence. */
  ms?: number;
  steps: StepSummary[];
  /** It succeeded, and nothing shows whether the user data was to make a node. */
  isNodeUnknown?: true;
  /** The step that runs, or that ended the sequence. */
  step?: string;
  stepStartedAt?: string;
  progress?: string;
  failure?: EventFailure;
  node?: {
    name: string;
    state: string;
    message?: string;
    /** As the machine has seen it in the cluster; a Node's never changes. */
    providerID?: string;
  };
  /** What the bootstrap found amiss with its Node, though it succeeded. */
  concern?: { code: string; message: string };
  sentinel?: boolean;
  /** Warnings among the findings. */
  warnings: number;
  facts?: Record<string, string>;
  events: number;
  heartbeats: number;
  /** Events that the node reports as lost, plus missing sequence numbers. */
  lost: number;
  /** Time of the last event, by the node's clock. */
  lastEventAt?: string;
  /** Time of the last event, in milliseconds since its boot. */
  lastMono?: number;
  /** Milliseconds from the sequence's start to the last event, whatever the clocks show. */
  elapsedMs?: number;
}

const MAX_FACTS = 48;
const FACT_NAME = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/;
/** Lists of labels and taints are taken whole or not at all; of other facts the beginning says enough. */
const WHOLE_FACTS: ReadonlySet<string> = new Set([CAPACITY_LABELS_FACT, CAPACITY_TAINTS_FACT]);
const MAX_BOOTS = 16;

export function newSummary(): Summary {
  return { phase: 'Waiting', boots: [], steps: [], warnings: 0, events: 0, heartbeats: 0, lost: 0 };
}

/**
 * Adds one event to `before`, which stays unchanged. Any order of events gives some summary, never an error.
 */
export function fold(before: Summary, event: ReadEvent): Summary {
  const summary: Summary = {
    ...before,
    boots: before.boots.includes(event.boot) ? before.boots : [...before.boots, event.boot].slice(-MAX_BOOTS),
    events: before.events + 1,
    lastEventAt: event.time,
    lastMono: isSameBoot(before, event) ? Math.max(event.mono, before.lastMono ?? 0) : event.mono,
    ...(before.elapsedMs === undefined ? {} : { elapsedMs: before.elapsedMs + sinceLast(before, event) }),
  };
  switch (event.type) {
    case 'sequence.started':
      return begin(summary, event);
    case 'step.started':
      return {
        ...running(summary),
        ...withStep(summary, event.step, { result: 'running', attempts: event.attempt }),
        step: event.step.id,
        ...(before.step === event.step.id && event.attempt > 1 ? {} : { stepStartedAt: event.time }),
      };
    case 'step.progress':
      return {
        ...running(summary),
        step: event.step.id,
        ...(event.message.trim() === '' ? {} : { progress: event.message }),
      };
    case 'step.attempt':
      return {
        ...running(summary),
        ...withStep(summary, event.step, {
          result: 'retrying',
          attempts: event.attempt,
          ms: event.ms,
          code: event.failure.code,
        }),
        step: event.step.id,
        failure: event.failure,
      };
    case 'step.ended':
      return endStep(summary, event);
    case 'sequence.ended':
      return conclude(summary, event);
    case 'agent.lost':
      return {
        ...summary,
        phase: 'Lost',
        failure: event.failure,
        endedAt: event.time,
        ...stepOf(event.step),
      };
    case 'node.observed':
      return {
        ...(event.state === 'ready' ? proved(summary) : summary),
        node: {
          name: event.node,
          state: event.state,
          ...(event.message === undefined ? {} : { message: event.message }),
          ...providerIdOf(before, event),
        },
      };
    case 'node.reset':
      return { ...newSummary(), ...counters(summary), phase: 'Reset' };
    case 'heartbeat':
      return { ...summary, heartbeats: summary.heartbeats + 1 };
    case 'sentinel.seen':
      return { ...summary, sentinel: true };
    case 'finding':
      return event.severity === 'warning'
        ? { ...summary, warnings: summary.warnings + 1, ...concernOf(event) }
        : summary;
    case 'fact':
      return withFact(summary, event.name, event.value);
    case 'events.lost':
      return { ...summary, lost: summary.lost + event.count };
    case 'unknown':
      return summary;
  }
}

/** There is a node, whatever was known of it before. */
function proved({ isNodeUnknown: _, ...summary }: Summary): Summary {
  return summary;
}

/** Findings that are told on the Machine of a node that bootstrapped. */
const CONCERNS: ReadonlySet<string> = new Set(['NodeAddressWrong']);

function concernOf({ code, message }: Of<'finding'>): Pick<Summary, 'concern'> {
  return CONCERNS.has(code) ? { concern: { code, message } } : {};
}

/** A look that did not see the Node itself takes nothing back. */
function providerIdOf(
  { node: before }: Summary,
  { node, providerID }: Of<'node.observed'>,
): { providerID?: string } {
  const known = providerID ?? (before?.name === node ? before.providerID : undefined);
  return known === undefined ? {} : { providerID: known };
}

type Of<T extends ReadEvent['type']> = Extract<ReadEvent, { type: T }>;

/**
 * Milliseconds between two events: within a boot by its monotonic clock, across a reboot by the wall clock.
 */
function sinceLast(before: Summary, event: ReadEvent): number {
  const { lastMono = 0, lastEventAt = event.time } = before;
  const ms = isSameBoot(before, event)
    ? event.mono - lastMono
    : Date.parse(event.time) - Date.parse(lastEventAt);
  return Math.max(0, Math.round(ms) || 0);
}

function isSameBoot({ boots }: Summary, { boot }: ReadEvent): boolean {
  return boots.at(-1) === boot;
}

function counters({
  events,
  heartbeats,
  lost,
  lastEventAt,
  lastMono,
  boots,
  facts,
}: Summary): Partial<Summary> {
  return {
    events,
    heartbeats,
    lost,
    boots,
    ...(lastEventAt === undefined ? {} : { lastEventAt }),
    ...(lastMono === undefined ? {} : { lastMono }),
    ...(facts === undefined ? {} : { facts }),
  };
}

function begin(summary: Summary, event: Of<'sequence.started'>): Summary {
  const goesOn = event.resumed && summary.sequence === event.sequence;
  const known = new Map(summary.steps.map((step) => [step.id, step]));
  const steps = event.steps
    .slice(0, MAX_STEPS)
    .map(
      ({ id, title }): StepSummary =>
        (goesOn ? known.get(id) : undefined) ?? { id, title, result: 'pending', attempts: 0, ms: 0 },
    );
  return {
    ...newSummary(),
    ...counters(summary),
    ...(summary.node ? { node: summary.node } : {}),
    warnings: goesOn ? summary.warnings : 0,
    phase: 'Running',
    mode: event.mode,
    ...(event.agent === undefined ? {} : { agent: event.agent }),
    sequence: event.sequence,
    startedAt: goesOn ? (summary.startedAt ?? event.time) : event.time,
    elapsedMs: goesOn ? (summary.elapsedMs ?? 0) : 0,
    steps,
  };
}

/** Something is going on, so an earlier end no longer counts. */
function running(summary: Summary): Summary {
  const { endedAt: _, ms: __, progress: ___, isNodeUnknown: ____, failure, ...rest } = summary;
  return {
    ...rest,
    phase: 'Running',
    ...(failure && summary.phase === 'Running' ? { failure } : {}),
    ...(summary.startedAt === undefined && summary.lastEventAt !== undefined
      ? { startedAt: summary.lastEventAt, elapsedMs: 0 }
      : {}),
  };
}

function endStep(summary: Summary, event: Of<'step.ended'>): Summary {
  const { failure, progress: _, ...rest } = running(summary);
  const over = event.result === 'failed' ? (event.failure ?? failure) : undefined;
  return {
    ...rest,
    ...withStep(summary, event.step, {
      result: event.result,
      attempts: event.attempt,
      ms: event.ms,
      ...(event.failure ? { code: event.failure.code } : {}),
    }),
    step: event.step.id,
    ...(over ? { failure: over } : {}),
  };
}

function conclude(summary: Summary, event: Of<'sequence.ended'>): Summary {
  const { failure: _, progress: __, isNodeUnknown: ___, ...rest } = summary;
  return {
    ...rest,
    phase: event.result === 'succeeded' ? 'Succeeded' : 'Failed',
    mode: event.mode,
    sequence: event.sequence,
    startedAt: summary.startedAt ?? event.time,
    endedAt: event.time,
    ms: event.ms,
    ...(event.isNodeUnknown && summary.node?.state !== 'ready' ? { isNodeUnknown: true } : {}),
    ...stepOf(event.step),
    ...(event.failure ? { failure: event.failure } : {}),
  };
}

function stepOf(step: EventStep | undefined): { step?: string } {
  return step === undefined ? {} : { step: step.id };
}

function withStep(summary: Summary, step: EventStep, change: Partial<StepSummary>): Pick<Summary, 'steps'> {
  const at = summary.steps.findIndex(({ id }) => id === step.id);
  if (at < 0 && summary.steps.length >= MAX_STEPS) return { steps: summary.steps };
  const before: StepSummary = summary.steps[at] ?? { ...step, result: 'pending', attempts: 0, ms: 0 };
  const after = { ...before, ...change };
  return { steps: at < 0 ? [...summary.steps, after] : summary.steps.with(at, after) };
}

function withFact(summary: Summary, name: string, value: string): Summary {
  const facts = summary.facts ?? {};
  if (!FACT_NAME.test(name) || value === '') return summary;
  if (WHOLE_FACTS.has(name) && value.length > MAX_CAPACITY_LIST) return summary;
  const most = WHOLE_FACTS.has(name) ? MAX_CAPACITY_LIST : 256;
  if (!Object.hasOwn(facts, name) && Object.keys(facts).length >= MAX_FACTS) return summary;
  return { ...summary, facts: { ...facts, [name]: value.slice(0, most).toWellFormed() } };
}
