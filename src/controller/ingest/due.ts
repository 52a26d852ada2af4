import type { ReadEvent } from '../../protocol/events.ts';
import type { NodeRecord } from '../model/node-record.ts';
import type { Summary } from '../model/summary.ts';

/** Waits before the first, second and every further write of events that can wait, in milliseconds; the beginning does not. */
const PACE = [20_000, 60_000, 120_000];
/** A failed attempt is worth telling sooner. */
const TROUBLE_MS = 10_000;
/** After the verdict little comes, and the reporter waits for the end of it. */
const OVER_MS = 30_000;
/** What somebody waits for. */
const VERDICTS: readonly string[] = ['sequence.ended', 'agent.lost', 'node.reset'];
/** The most that a reporter sends at once. */
const MANY_EVENTS = 128;

/** `now`: somebody waits for it. `if-idle`: it has waited long enough, but gives way. `later`: it can wait. */
export type Due = 'now' | 'if-idle' | 'later';

/**
 * Whether these events are to be written now. Verdicts and every other turn are; the rest is collected, because each write
 * costs the API server something: a bootstrap of a minute takes three. What is not written is not acknowledged either, so
 * the node sends it again with what comes next, and nothing can be lost in between.
 */
export function dueOf(record: NodeRecord, events: readonly ReadEvent[], after: Summary, now: number): Due {
  const before = record.summary.phase;
  if (events.some(({ type }) => VERDICTS.includes(type))) return 'now';
  // That a bootstrap has begun is told at once, but a thousand beginnings must not hold up one verdict.
  if (after.phase !== before) return before === 'Waiting' && after.phase === 'Running' ? 'if-idle' : 'now';
  // A reporter must not be kept from sending more.
  if (events.length >= MANY_EVENTS) return 'now';
  // The reporter ends once this is acknowledged.
  if (after.phase === 'Succeeded' && after.node?.state === 'ready') return 'now';
  const pace = PACE[Math.min(record.writes, PACE.length - 1)] ?? 0;
  const most = events.some(({ type }) => type === 'step.attempt')
    ? TROUBLE_MS
    : isOver(after)
      ? OVER_MS
      : pace;
  // The clock of whoever stored it last may be another one, or have been set since: what seems to lie ahead is due too.
  const age = Math.abs(now - record.storedAt);
  return age >= Math.min(pace, most) ? 'if-idle' : 'later';
}

function isOver({ phase }: Summary): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}
