import type { Host } from './host.ts';

/** The properties of one unit by their names, e.g. `ActiveState`: `active`. */
export type UnitProperties = ReadonlyMap<string, string>;

/**
 * What systemd says of units, in the order asked.
 * @returns undefined where it does not answer in time, or is not there
 */
export async function showUnits(
  host: Host,
  units: readonly string[],
  properties: readonly string[],
  timeoutMs: number,
): Promise<UnitProperties[] | undefined> {
  const { exitStatus, stdout } = await host.processes.run({
    argv: ['systemctl', 'show', '-p', properties.join(','), ...units],
    env: { LC_ALL: 'C' },
    timeoutMs,
  });
  return exitStatus === 0 ? parseUnits(stdout) : undefined;
}

/** `systemctl show`: a block of `Name=value` for each unit, with an empty line between. */
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
