/**
 * Not while it starts: nothing that a service, the network, the clock or a disk says before its own start is over makes a
 * permanent failure.
 */
import type { Code } from '../../protocol/codes/codes.ts';
import type { Host } from '../host/host.ts';
import { showUnits, type UnitProperties } from '../host/show-units.ts';
import { RESTS_ON } from './rests-on.ts';
import { type Foundation, SERVICES, type Service } from './services.ts';

/** systemd answers late on a machine that is busy with its boot. */
const ASK_MS = 5_000;
/** A boot is young for so long. */
const BOOT_SECONDS = 120;
/** A service that systemd has started again so often is not starting but failing. */
const RESTARTS = 3;

const PROPERTIES = ['Id', 'LoadState', 'ActiveState', 'Job', 'NRestarts', 'ActiveEnterTimestampMonotonic'];

/** Seconds since the kernel began, by the one clock that nobody sets. */
interface Now {
  uptime: number;
  /** Since systemd calls the basic system up. A slow machine, or a disk that somebody unlocks, takes minutes before. */
  bootAge: number;
}

/**
 * Why a failure with this code is not final yet: which part of the machine that it rests on is still starting.
 *
 * @returns a sentence, or undefined where the failure is final. Never throws.
 */
export async function stillStarting(host: Host, code: Code): Promise<string | undefined> {
  const parts = RESTS_ON[code] ?? [];
  // Below a root directory nothing starts.
  if (host.root !== '/' || parts.length === 0) return undefined;
  const services = parts.map((part: Foundation) => SERVICES[part]);
  const [now, ...shown] = await Promise.all([
    age(host),
    ...services.map(({ units }) =>
      units.length === 0 ? [] : answer(() => showUnits(host, units, PROPERTIES, ASK_MS)),
    ),
  ]);
  for (const [index, service] of services.entries()) {
    const why = await startOf(host, service, shown[index], now);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** What was found while the machine still comes up may be a matter of that; whoever reads it should know. */
export async function withStart(host: Host, code: Code, message: string): Promise<string> {
  const starting = await stillStarting(host, code);
  return starting === undefined ? message : `${message} (this may pass: ${starting})`;
}

async function age(host: Host): Promise<Now> {
  const uptime = host.clock.monotonic() / 1000;
  const [basic] = (await answer(() => showUnits(host, ['basic.target'], PROPERTIES, ASK_MS))) ?? [];
  return { uptime, bootAge: uptime - ((basic && activeSince(basic)) ?? 0) };
}

/** @param shown undefined where systemd does not answer */
async function startOf(
  host: Host,
  { called, graceSeconds, comesUnannounced, stillBusy }: Service,
  shown: readonly UnitProperties[] | undefined,
  { uptime, bootAge }: Now,
): Promise<string | undefined> {
  for (const unit of shown ?? []) {
    const state = startState(unit, uptime, graceSeconds);
    if (state !== undefined) return `${called} is still starting (${unit.get('Id')} ${state})`;
  }
  if ((comesUnannounced || shown === undefined) && bootAge < BOOT_SECONDS)
    return `the machine booted ${Math.round(bootAge)} s ago, and ${called} may not be up`;
  const youngest = Math.max(0, ...(shown ?? []).map((unit) => activeSince(unit) ?? 0));
  const isInTime = youngest > 0 && uptime - youngest < BOOT_SECONDS;
  if (isInTime && stillBusy !== undefined && (await answer(() => stillBusy(host))) === true)
    return `${called} is still at work`;
  return undefined;
}

/** In words, or undefined where the unit's start is over, or it has none. */
function startState(unit: UnitProperties, uptime: number, graceSeconds: number): string | undefined {
  // A masked unit will never start, and one that is not there says nothing.
  if (unit.get('LoadState') !== 'loaded') return undefined;
  const active = unit.get('ActiveState') ?? '';
  if (Number(unit.get('NRestarts') ?? 0) >= RESTARTS) return undefined;
  if (active === 'activating' || active === 'reloading') return `is ${active}`;
  if (active !== 'active') return Number(unit.get('Job') ?? 0) > 0 ? 'waits for its turn' : undefined;
  const since = activeSince(unit);
  const age = since === undefined ? Number.POSITIVE_INFINITY : uptime - since;
  return age < graceSeconds ? `became active ${Math.max(0, Math.round(age))} s ago` : undefined;
}

/** Seconds since boot at which the unit became active. */
function activeSince(unit: UnitProperties): number | undefined {
  const microseconds = Number(unit.get('ActiveEnterTimestampMonotonic') ?? 0);
  return microseconds > 0 ? microseconds / 1e6 : undefined;
}

/** What could not be asked says nothing. */
async function answer<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch {
    return undefined;
  }
}
