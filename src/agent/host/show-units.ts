import type { Host } from './host.ts';
import { serviceState } from './windows-services.ts';

/** A unit's properties by name, e.g. `ActiveState`: `active`. */
export type UnitProperties = ReadonlyMap<string, string>;

/**
 * Asks systemd about units; the answers have the order of `units`. On Windows its service manager is asked, and says it in the
 * same words; it has no units that are no services.
 *
 * @returns undefined if systemd is missing or does not answer in time
 */
export async function showUnits(
  host: Host,
  units: readonly string[],
  properties: readonly string[],
  timeoutMs: number,
): Promise<UnitProperties[] | undefined> {
  if (host.platform === 'windows') return showServices(host, units, timeoutMs);
  const { exitStatus, stdout } = await host.processes.run({
    // A name may come out of a text, and must not be read as an option.
    argv: ['systemctl', 'show', '-p', properties.join(','), '--', ...units],
    env: { LC_ALL: 'C' },
    timeoutMs,
  });
  return exitStatus === 0 ? parseUnits(stdout) : undefined;
}

const SERVICE = '.service';

async function showServices(
  host: Host,
  units: readonly string[],
  timeoutMs: number,
): Promise<UnitProperties[] | undefined> {
  const names = units.flatMap((unit) => (unit.endsWith(SERVICE) ? unit.slice(0, -SERVICE.length) : []));
  const states = await Promise.all(names.map((name) => serviceState(host, name, timeoutMs)));
  const known = states.filter((state) => state !== undefined);
  return known.length > 0 && known.length === units.length ? known : undefined;
}

/** Parses `systemctl show`: a block of `Name=value` lines per unit, separated by empty lines. */
export function parseUnits(text: string): UnitProperties[] {
  return text
    .split(/\n\s*\n/)
    .filter((block) => block.includes('='))
    .map((block) => new Map(block.split('\n').map((line) => splitOnce(line.trim()))));
}

function splitOnce(line: string): [string, string] {
  const at = line.indexOf('=');
  return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)];
}
