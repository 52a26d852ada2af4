import type { Document, ReportEntry } from '../../document/document.ts';
import type { Host } from '../../host/host.ts';
import { printable } from '../../text/report.ts';
import { unknownOwner } from './places.ts';

const ZONES = '/usr/share/zoneinfo/';

/**
 * Settings that this machine, as it is, has nothing for. The node comes up without them, so each is a warning, in a plan: the
 * steps tell it themselves.
 */
export async function lackingSettings(
  { files, processes }: Pick<Host, 'files' | 'processes'>,
  { bootCommands, files: written, users, system }: Document,
): Promise<ReportEntry[]> {
  // They run before, and may bring what is missing.
  if (system === undefined || bootCommands.length > 0) return [];
  const found: ReportEntry[] = [];
  const warn = (code: ReportEntry['code'], message: string) =>
    found.push({ severity: 'warning', code, message });
  const zone = system.timezone && `${ZONES}${system.timezone.name}`;
  const isGiven = written.some(({ path }) => path === zone);
  if (zone && !isGiven && !(await files.stat(zone).catch(() => undefined)))
    warn(
      'SystemSettingFailed',
      `There is no time zone ${printable(system.timezone?.name ?? '')} on this machine: ${printable(zone)} is missing`,
    );
  const [program] = system.randomSeed?.isRequired ? system.randomSeed.command : [];
  if (program !== undefined && (await processes.which(program)) === undefined)
    warn('ToolMissing', `The program ${printable(program)} of random_seed is not on this machine`);
  const made = new Set(users.map(({ name }) => name));
  for (const { name } of system.passwords?.users ?? [])
    if (!made.has(name) && unknownOwner(files, name) !== undefined)
      warn(
        'UserNotCreated',
        `There is no user ${printable(name)} whom a password could be given, and none is made`,
      );
  return found;
}
