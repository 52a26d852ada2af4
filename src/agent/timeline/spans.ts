/** Where a bootstrap's time went, from what the journal holds of it. */
import type { JournalRecord } from '../../protocol/journal.ts';

type RecordOf<T extends JournalRecord['type']> = Extract<JournalRecord, { type: T }>;

/** A stretch of time in one boot. */
export interface Span {
  name: string;
  /** Milliseconds since the kernel began. */
  fromMs: number;
  ms: number;
  /** `pause`: nothing ran until the next attempt. `open`: under way, or cut off when the journal ends there. */
  end: 'done' | 'failed' | 'pause' | 'open';
  /** Which attempt of its step it is; absent where there was only one. */
  attempt?: number;
  /** What the step told of on its way: kubeadm's phases, what was waited for. In order, without gaps. */
  parts?: SpanPart[];
}

export interface SpanPart {
  name: string;
  fromMs: number;
  ms: number;
}

/** What one boot of the machine gave to the sequence. */
export interface BootTimeline {
  /** The kernel's boot id. */
  boot: string;
  /** When the kernel began, ISO 8601, by the wall clock of the first record. */
  began: string;
  spans: Span[];
}

/** kubeadm's markers, as the agent tells them: `kubelet-start: Starting the kubelet`. */
const PHASE = /^([a-z][a-z0-9-]*)(?:\/[a-z-]+)?: /;
/** Half sentences before a colon say what a step does; what follows is about this one time. */
const TOPIC = /^([^:]{3,40}): /;

/**
 * The boots in which the last sequence was at work, each with its spans in order. Empty where there was none.
 *
 * @param nowMs Milliseconds since boot: what is under way ends there. Absent where no agent is at work.
 */
export function timelineOf(records: readonly JournalRecord[], nowMs?: number): BootTimeline[] {
  const last = records.findLast((record) => record.type === 'sequence.started');
  if (last?.type !== 'sequence.started') return [];
  const first = records.findIndex(
    (record) => record.type === 'sequence.started' && record.sequence === last.sequence,
  );
  const run = records.slice(0, first).findLastIndex((record) => record.type === 'run.started');
  const own = records.slice(Math.max(0, run));
  const boots = Map.groupBy(own, ({ boot }) => boot);
  const titles = new Map(last.steps.map(({ id, title }) => [id, title]));
  return [...boots].map(([boot, some], index) => {
    const [head] = some as [JournalRecord, ...JournalRecord[]];
    const isLast = index === boots.size - 1;
    return {
      boot,
      began: new Date(Date.parse(head.time) - head.mono).toISOString(),
      spans: spansOf(some, titles, (isLast ? nowMs : undefined) ?? some.at(-1)?.mono ?? head.mono),
    };
  });
}

function spansOf(
  records: readonly JournalRecord[],
  titles: ReadonlyMap<string, string>,
  endMs: number,
): Span[] {
  const spans: Span[] = [];
  let pause: { fromMs: number } | undefined;
  for (const [index, record] of records.entries()) {
    if (record.type === 'run.started') spans.push(...beforeSteps(record, spans.length === 0));
    if (record.type === 'step.ended' && record.retryInMs !== undefined) pause = { fromMs: record.mono };
    if (record.type !== 'step.started') continue;
    if (pause) spans.push({ name: 'pause', ...between(pause.fromMs, record.mono), end: 'pause' });
    pause = undefined;
    spans.push(stepSpan(record, records.slice(index + 1), titles, endMs));
  }
  if (pause) spans.push({ name: 'pause', ...between(pause.fromMs, endMs), end: 'pause' });
  return spans;
}

/** The machine's own boot, and what the agent did before its first step: finding and reading the user data. */
function beforeSteps({ mono, uptimeMs = 0 }: RecordOf<'run.started'>, isFirst: boolean): Span[] {
  const begun = Math.max(0, mono - uptimeMs);
  const boot: Span = { name: 'boot until Slipway began', ...between(0, begun), end: 'done' };
  const reading: Span = { name: 'user data found and read', ...between(begun, mono), end: 'done' };
  return [...(isFirst ? [boot] : []), ...(uptimeMs > 0 ? [reading] : [])];
}

function stepSpan(
  started: RecordOf<'step.started'>,
  after: readonly JournalRecord[],
  titles: ReadonlyMap<string, string>,
  endMs: number,
): Span {
  const { step, attempt, mono } = started;
  const next = after.findIndex((record) => record.type === 'step.started' || record.type === 'run.started');
  const within = next < 0 ? after : after.slice(0, next);
  const ended = within.find((record) => record.type === 'step.ended' && record.step === step);
  // An agent that was killed had its last word in the last record before the next one began.
  const until = ended?.mono ?? (next < 0 ? endMs : (within.at(-1)?.mono ?? mono));
  const told = within.filter((record) => record.type === 'step.progress' && record.step === step);
  const parts = partsOf(told as RecordOf<'step.progress'>[], mono, until);
  return {
    name: titles.get(step) ?? step,
    ...between(mono, until),
    end: ended?.type === 'step.ended' ? ended.result : 'open',
    ...(attempt > 1 ? { attempt } : {}),
    ...(parts.length > 0 ? { parts } : {}),
  };
}

function partsOf(told: readonly RecordOf<'step.progress'>[], fromMs: number, untilMs: number): SpanPart[] {
  const parts: SpanPart[] = [];
  const cuts = told.map(({ message, mono }) => ({ name: topicOf(message), at: mono }));
  for (const [index, { name, at }] of cuts.entries()) {
    if (index === 0 && at > fromMs) parts.push({ name: 'begin', ...between(fromMs, at) });
    const until = cuts[index + 1]?.at ?? untilMs;
    const before = parts.at(-1);
    if (before?.name === name) before.ms = Math.round(until - before.fromMs);
    else parts.push({ name, ...between(at, until) });
  }
  return parts;
}

function topicOf(message: string): string {
  return PHASE.exec(message)?.[1] ?? TOPIC.exec(message)?.[1] ?? message;
}

const between = (fromMs: number, untilMs: number): { fromMs: number; ms: number } => ({
  fromMs: Math.round(fromMs),
  ms: Math.max(0, Math.round(untilMs - fromMs)),
});
