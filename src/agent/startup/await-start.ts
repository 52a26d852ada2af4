import type { Host } from '../host/host.ts';
import { showUnits, type UnitProperties } from '../host/show-units.ts';
import { type Foundation, SERVICES } from './services.ts';

const ASK_MS = 5_000;
/** As systemd gives a unit by default. */
const LIMIT_MS = 90_000;

/**
 * Waits until systemd is done with starting this part of the machine, where the boot is still at it; whatever comes of that. A
 * unit that starts of its own accord later is not waited for. Never throws.
 */
export async function awaitStart(host: Host, part: Foundation, signal: AbortSignal): Promise<void> {
  if (host.platform === 'windows' || host.root !== '/') return;
  const { units } = SERVICES[part];
  const shown = (await showUnits(host, units, ['Id', 'LoadState', 'ActiveState', 'Job'], ASK_MS)) ?? [];
  const starting = shown.filter(isUnderWay).flatMap((unit) => unit.get('Id') ?? []);
  if (starting.length === 0) return;
  // It joins the start that is under way, and ends with it.
  await host.processes.run({
    argv: ['systemctl', 'start', '--', ...starting],
    env: { LC_ALL: 'C' },
    timeoutMs: LIMIT_MS,
    signal,
  });
}

function isUnderWay(unit: UnitProperties): boolean {
  if (unit.get('LoadState') !== 'loaded') return false;
  return unit.get('ActiveState') === 'activating' || Number(unit.get('Job') ?? 0) > 0;
}
