import type { Document, ReportEntry } from '../../document/document.ts';
import type { Host } from '../../host/host.ts';
import { printable } from '../../text/report.ts';
import { kindAt, unknownOwner } from './places.ts';
import { warnings } from './warnings.ts';

const ZONES = '/usr/share/zoneinfo/';

/**
 * Settings that this machine, as it is, has nothing for. The node comes up without them, so each is a warning, in a plan: the
 * steps tell it themselves.
 */
export async function lackingSettings(
  { files, processes }: Pick<Host, 'files' | 'processes'>,
  document: Document,
): Promise<ReportEntry[]> {
  const { files: written, users, system } = document;
  const { warn, found } = warnings(document);
  const zone = system?.timezone && `${ZONES}${system.timezone.name}`;
  const isGiven = written.some(({ path }) => path === zone);
  const kind = zone && !isGiven ? await kindAt(files, zone) : 'file';
  if (zone && kind !== 'file' && kind !== 'unknown') {
    const why = kind === 'directory' ? 'is a directory of zones' : 'is missing';
    warn(
      'SystemSettingFailed',
      `There is no time zone ${printable(system?.timezone?.name ?? '')} on this machine: ${printable(zone)} ${why}`,
      'timezone',
    );
  }
  const [program] = system?.randomSeed?.isRequired ? system.randomSeed.command : [];
  if (program !== undefined && (await processes.which(program)) === undefined)
    warn(
      'ToolMissing',
      `The program ${printable(program)} of random_seed is not on this machine`,
      'random_seed',
      'randomSeed',
    );
  const made = new Set(users.map(({ name }) => name));
  for (const { name } of system?.passwords?.users ?? [])
    if (!made.has(name) && unknownOwner(files, name) !== undefined)
      warn(
        'UserNotCreated',
        `There is no user ${printable(name)} whom a password could be given, and none is made`,
        'chpasswd',
        'password',
        'passwords',
      );
  return found;
}
