import {
  type EventFailure,
  type EventStep,
  MAX_EVENT_BYTES,
  MAX_FAILURE_LINES,
  type SlipwayEvent,
} from '../../../protocol/events.ts';
import { printable } from '../../../protocol/wire.ts';
import { redact } from '../../../secrets/redact.ts';

/** Names and ids; the reader takes up to 256 characters. */
const MAX_NAME = 200;
/** The limits for one text, which are tried one after the other until the event fits. */
const TEXT_LIMITS = [1200, 600, 300, 150, 80];

/**
 * The event as it may leave the machine: without secrets, without control characters, below its bound. What had to be
 * cut is marked by `…` in its place and by `truncated`.
 */
export function boundEvent<T extends SlipwayEvent>(event: T): T {
  const whole = mapTexts(event, clean);
  for (const limit of TEXT_LIMITS) {
    let cut = false;
    const shorter = mapTexts(whole, (text, isName) => {
      const shortened = shorten(text, isName ? Math.min(limit, MAX_NAME) : limit);
      cut ||= shortened !== text;
      return shortened;
    });
    const fitting = withFewerSteps(shorter, limit === TEXT_LIMITS.at(-1) ? 0 : 8);
    if (fitting) return cut || fitting !== shorter ? { ...fitting, truncated: true } : fitting;
  }
  // Bounded names and texts of 80 characters always fit; a type with more fields than today's must shorten them here.
  throw new Error(`an event of type ${event.type} cannot be shortened to ${MAX_EVENT_BYTES} bytes`);
}

/** Beginning and end of a text that is too long; the end often says what was wrong. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  const tail = Math.floor(max * 0.4);
  return `${text.slice(0, max - tail - 3)} … ${text.slice(text.length - tail)}`.toWellFormed();
}

function clean(text: string): string {
  return printable(redact(text)).toWellFormed();
}

/** Leaves out the last steps of an outline until the event fits, as long as `least` remain; undefined where it does not. */
function withFewerSteps<T extends SlipwayEvent>(event: T, least: number): T | undefined {
  if (fits(event)) return event;
  if (event.type !== 'sequence.started') return undefined;
  const { steps } = event;
  let room =
    MAX_EVENT_BYTES - 1 - sizeOf({ ...event, steps: [], stepsOmitted: steps.length, truncated: true });
  let kept = 0;
  for (const step of steps) {
    // A comma stands between two steps.
    room -= sizeOf(step) + 1;
    if (room < 0) break;
    kept += 1;
  }
  if (kept < least || kept === steps.length) return undefined;
  return { ...event, steps: steps.slice(0, kept), stepsOmitted: steps.length - kept };
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function fits(event: SlipwayEvent): boolean {
  // The mark of a cut may still be added.
  return sizeOf({ ...event, truncated: true }) < MAX_EVENT_BYTES;
}

type MapText = (text: string, isName: boolean) => string;

/** Applies `map` to every text that comes from outside; ids and times are ours and stay. */
function mapTexts<T extends SlipwayEvent>(event: T, map: MapText): T {
  const name = (text: string) => map(text, true) || '?';
  const mapped: Record<string, unknown> = {
    ...event,
    machine: Object.fromEntries(Object.entries(event.machine).map(([key, text]) => [key, name(text)])),
  };
  for (const key of ['message', 'value', 'why'] as const) {
    const text = mapped[key];
    if (typeof text === 'string') mapped[key] = map(text, false);
  }
  for (const key of ['name', 'node', 'path', 'where', 'agent'] as const) {
    const text = mapped[key];
    if (typeof text === 'string') mapped[key] = name(text);
  }
  if ('step' in event && event.step) mapped.step = mapStep(event.step, name);
  if ('steps' in event) mapped.steps = event.steps.map((step) => mapStep(step, name));
  if ('failure' in event && event.failure) mapped.failure = mapFailure(event.failure, map);
  return mapped as T;
}

function mapStep({ id, title }: EventStep, name: (text: string) => string): EventStep {
  return { id: name(id), title: name(title) };
}

function mapFailure(failure: EventFailure, map: MapText): EventFailure {
  return {
    ...failure,
    cause: map(failure.cause, false),
    remedy: map(failure.remedy, false),
    ...(failure.lines
      ? { lines: failure.lines.slice(-MAX_FAILURE_LINES).map((line) => map(line, false)) }
      : {}),
  };
}
