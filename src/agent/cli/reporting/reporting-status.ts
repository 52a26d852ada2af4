import { pad, wrap } from '../../../kit/terminal/columns.ts';
import type { Host } from '../../host/host.ts';
import { type ReportingState, readReportingState } from '../../report/state/reporting-state.ts';
import { loadSettings } from '../../settings/load-settings.ts';

/** The longest pause of slipway-checkin.timer. */
const TIMER_MS = 6 * 60_000;
/** A timer that has not run for so long does not run at all. */
const OVERDUE_MS = 3 * TIMER_MS;
/** Columns of the name before the text. */
const LABEL = 12;
const WIDEST = 100;

/** What `slipway status` says of reporting to the controller. */
interface Reporting extends Partial<Omit<ReportingState, 'endpoint'>> {
  /** Where it was told last; before that, where it will be. */
  to: string[];
  /** When the next check-in has been made at the latest; absent: the controller wants none, or none will come. */
  nextCheckIn?: string;
  /** The controller wants check-ins, and the timer has not run since then. */
  overdueSince?: string;
}

/** Undefined where this machine reports to no controller, as far as the reader may know. */
export async function readReporting(host: Host): Promise<Reporting | undefined> {
  const state = await readReportingState(host);
  if (!state) {
    const { settings } = await loadSettings(host);
    const { controller, enabled } = settings;
    return controller && enabled ? { to: controller.endpoints } : undefined;
  }
  const { endpoint, ...rest } = state;
  return { to: [endpoint], ...rest, ...nextCheckIn(state, host.clock.now().getTime()) };
}

function nextCheckIn(
  { checkIn, acknowledged }: ReportingState,
  now: number,
): Pick<Reporting, 'nextCheckIn' | 'overdueSince'> {
  const from = checkIn?.answeredAt ?? acknowledged?.at;
  if (!checkIn || from === undefined) return {};
  const ran = checkIn.triedAt ?? from;
  if (now - Date.parse(ran) > OVERDUE_MS) return { overdueSince: ran };
  const next = Date.parse(from) + Math.max(TIMER_MS, checkIn.everySeconds * 1000);
  // One that failed is made again with the timer.
  return { nextCheckIn: new Date(Math.max(next, Date.parse(ran) + TIMER_MS)).toISOString() };
}

/** For people: what is right in one line, what is wrong in the next. */
export function reportingText(
  { to, acknowledged, trouble, nextCheckIn: next, overdueSince }: Reporting,
  columns?: number,
): string {
  const told = acknowledged
    ? `it has acknowledged event ${acknowledged.seq}, at ${second(acknowledged.at)}`
    : 'it has acknowledged nothing since this boot';
  const silent = trouble || acknowledged ? [] : ['journalctl -t slipway-report says why'];
  const good = [`to ${to.join(', ')}`, told, ...silent];
  if (next !== undefined) good.push(`the next check-in is before ${second(next)}`);
  const bad = trouble ? [`since ${second(trouble.since)}: ${trouble.message}`] : [];
  if (overdueSince !== undefined)
    bad.push(
      `no check-in since ${second(overdueSince)}, though the controller wants them: systemctl status slipway-checkin.path`,
    );
  const room = Math.max(20, Math.min(WIDEST, columns ?? Number.POSITIVE_INFINITY) - LABEL);
  const lines = [good.join('; '), ...bad].flatMap((text) =>
    columns === undefined ? [text] : wrap(text, room),
  );
  return `${lines.map((line, at) => `${pad(at === 0 ? 'Reporting' : '', LABEL)}${line}`).join('\n')}\n`;
}

function second(time: string): string {
  return time.replace(/\.\d+Z$/, 'Z');
}
