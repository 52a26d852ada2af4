import { pad, wrap } from '../../../kit/terminal/columns.ts';
import type { Host } from '../../host/host.ts';
import { type ReportingState, readReportingState } from '../../report/state/reporting-state.ts';
import { loadSettings } from '../../settings/load-settings.ts';

/** The longest pause of slipway-checkin.timer. */
const TIMER_MS = 6 * 60_000;
/** Columns of the name before the text. */
const LABEL = 12;
const WIDEST = 100;

/** What `slipway status` says of reporting to the controller. */
interface Reporting extends Partial<Omit<ReportingState, 'endpoint'>> {
  /** Where it was told last; before that, where it will be. */
  to: string[];
  /** When the next check-in has been made at the latest; absent: the controller wants none. */
  nextCheckIn?: string;
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
  return { to: [endpoint], ...rest, ...nextCheckIn(state) };
}

function nextCheckIn({ checkIn, acknowledged }: ReportingState): { nextCheckIn?: string } {
  const from = Date.parse(checkIn?.answeredAt ?? acknowledged?.at ?? '');
  if (!checkIn || Number.isNaN(from)) return {};
  return { nextCheckIn: new Date(from + Math.max(TIMER_MS, checkIn.everySeconds * 1000)).toISOString() };
}

/** For people: what is right in one line, what is wrong in the next. */
export function reportingText(
  { to, acknowledged, trouble, nextCheckIn: next }: Reporting,
  columns?: number,
): string {
  const told = acknowledged
    ? `it has acknowledged event ${acknowledged.seq}, at ${second(acknowledged.at)}`
    : 'it has acknowledged nothing since this boot';
  const silent = trouble || acknowledged ? [] : ['journalctl -t slipway-report says why'];
  const good = [`to ${to.join(', ')}`, told, ...silent];
  if (next !== undefined) good.push(`the next check-in is before ${second(next)}`);
  const bad = trouble ? [`since ${second(trouble.since)}: ${trouble.message}`] : [];
  const room = Math.max(20, Math.min(WIDEST, columns ?? Number.POSITIVE_INFINITY) - LABEL);
  const lines = [good.join('; '), ...bad].flatMap((text) =>
    columns === undefined ? [text] : wrap(text, room),
  );
  return `${lines.map((line, at) => `${pad(at === 0 ? 'Reporting' : '', LABEL)}${line}`).join('\n')}\n`;
}

function second(time: string): string {
  return time.replace(/\.\d+Z$/, 'Z');
}
