import type { ReadEvent } from '../../protocol/events.ts';
import type { NodeRecord } from '../model/node-record.ts';
import type { Summary } from '../model/summary.ts';

/**
 * Milliseconds until the first, second and every further write of events that can wait; the first events do
 * not wait.
 */
const PACE = [20_000, 60_000, 120_000];
/** People want to know of a failed attempt sooner. */
const TROUBLE_MS = 10_000;
/** After the verdict little follows, and the reporter waits for the end. */
const OVER_MS = 30_000;
/** Somebody waits for these; they are stored at once. */
const VERDICTS: readonly string[] = ['sequence.ended', 'agent.lost', 'node.reset'];
/** A reporter sends at most so many at once. */
const MANY_EVENTS = 128;

/**
 * `now`: somebody waits for it. `if-idle`: it has waited long enough but lets others go first. `later`: it
 * can wait.
 */
type Due = 'now' | 'if-idle' | 'later';

/**
 * Decides when to write these events. Verdicts and other turns are due now. The rest is collected, because
 * each write costs the API server something: a bootstrap of a minute takes three. Unwritten events are not
 * acknowledged, so the node sends them again with the next ones, and none is lost.
 */
export function writeUrgency(
  record: NodeRecord,
  events: readonly ReadEvent[],
  after: Summary,
  now: number,
): Due {
  const before = record.summary.phase;
  if (events.some(({ type }) => VERDICTS.includes(type))) return 'now';
  // A bootstrap's beginning is due at once, but a thousand beginnings must not hold up one verdict.
  if (after.phase !== before) return before === 'Waiting' && after.phase === 'Running' ? 'if-idle' : 'now';
  // The reporter must be able to send more.
  if (events.length >= MANY_EVENTS) return 'now';
  // The reporter ends after this acknowledgement.
  if (after.phase === 'Succeeded' && after.node?.state === 'ready') return 'now';
  const pace = PACE[Math.min(record.writes, PACE.length - 1)] ?? 0;
  const most = events.some(({ type }) => type === 'step.attempt')
    ? TROUBLE_MS
    : isOver(after)
      ? OVER_MS
      : pace;
  // Another replica's clock may have stamped it, or somebody has set the clock: a time in the future is due
  // too.
  const age = Math.abs(now - record.storedAt);
  return age >= Math.min(pace, most) ? 'if-idle' : 'later';
}

function isOver({ phase }: Summary): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}
