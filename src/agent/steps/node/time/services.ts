import { dirname } from 'node:path/posix';
import type { NtpSettings } from '../../../document/document.ts';
import type { Host } from '../../../host/host.ts';

/** A program that keeps the clock right, with the distributions' names for its parts. */
export interface TimeService {
  name: string;
  /** If any of these exists, the service is installed. */
  programs: readonly string[];
  /** Slipway uses the first that exists, else the first whose directory exists. */
  configs: readonly [string, ...string[]];
  units: readonly [string, ...string[]];
  /**
   * `drop-in`: a file of our own beside the distribution's; `whole`: the distribution's with other sources.
   */
  style: 'drop-in' | 'whole';
  /** The configuration if the distribution has none. */
  otherwise: string;
  /** What it is installed from, where user data names it and it is not there. */
  packages: readonly string[];
}

/** In the order in which cloud-init prefers them. */
const SERVICES: readonly TimeService[] = [
  {
    name: 'chrony',
    programs: ['chronyd'],
    configs: ['/etc/chrony/chrony.conf', '/etc/chrony.conf'],
    units: ['chrony', 'chronyd'],
    style: 'whole',
    otherwise: 'driftfile /var/lib/chrony/drift\nmakestep 1.0 3\nrtcsync\n',
    packages: ['chrony'],
  },
  {
    name: 'systemd-timesyncd',
    programs: ['/usr/lib/systemd/systemd-timesyncd', '/lib/systemd/systemd-timesyncd'],
    configs: ['/etc/systemd/timesyncd.conf.d/cloud-init.conf'],
    units: ['systemd-timesyncd'],
    style: 'drop-in',
    otherwise: '',
    packages: [],
  },
  {
    name: 'ntp',
    programs: ['ntpd'],
    configs: ['/etc/ntpsec/ntp.conf', '/etc/ntp.conf'],
    units: ['ntpsec', 'ntp', 'ntpd'],
    style: 'whole',
    otherwise: 'driftfile /var/lib/ntp/ntp.drift\n',
    packages: ['ntpsec'],
  },
];

/** The service that the user data mean, and whether it is there. */
export interface Chosen {
  service: TimeService;
  isInstalled: boolean;
}

/**
 * The service that is named, or this machine's: the first that is installed. A masked one must not run (for example in a guest
 * whose hypervisor sets the clock), so any other comes first. Undefined where none is named nor installed.
 */
export async function chooseService(
  host: Host,
  { client, own }: Pick<NtpSettings, 'client' | 'own'>,
): Promise<Chosen | undefined> {
  const known = SERVICES.filter(({ name }) => client === undefined || name === client);
  const candidates = known.length > 0 ? known : [nobodys(client ?? '')];
  const installed: TimeService[] = [];
  for (const candidate of candidates) {
    // If the author names no service, a program of the author's own does not show which one is there.
    const program = client === undefined ? undefined : own?.program;
    const service = program === undefined ? candidate : { ...candidate, programs: [program] };
    if (!(await isInstalled(host, service))) continue;
    if (!(await isMasked(host, service))) return { service, isInstalled: true };
    installed.push(service);
  }
  const [found] = installed;
  if (found) return { service: found, isInstalled: true };
  const [first] = candidates;
  return first && (client !== undefined || own) ? { service: first, isInstalled: false } : undefined;
}

/** One of which everything is said by the user data. */
const nobodys = (name: string): TimeService => ({
  name,
  programs: [],
  configs: [`/etc/${name}.conf`],
  units: [name],
  style: 'whole',
  otherwise: '',
  packages: [],
});

export async function isInstalled(host: Host, { programs }: Pick<TimeService, 'programs'>): Promise<boolean> {
  for (const program of programs) {
    const found = program.startsWith('/')
      ? await host.files.stat(program)
      : await host.processes.which(program);
    if (found) return true;
  }
  return false;
}

async function isMasked(host: Host, { units }: TimeService): Promise<boolean> {
  for (const unit of units) {
    const path = `/etc/systemd/system/${unit}.service`;
    const isLink = (await host.files.stat(path))?.kind === 'symlink';
    if (isLink && (await host.files.readlink(path)) === '/dev/null') return true;
  }
  return false;
}

/** The file to write, and its current text. */
export async function configOf(
  host: Host,
  service: TimeService,
): Promise<{ path: string; text: string | undefined }> {
  for (const path of service.configs) {
    const text = (await host.files.readIfPresent(path))?.toString('utf8');
    if (text !== undefined) return { path, text };
  }
  for (const path of service.configs) {
    if (await host.files.stat(dirname(path))) return { path, text: undefined };
  }
  return { path: service.configs[0], text: undefined };
}

const UNIT_DIRECTORIES = ['/etc/systemd/system', '/usr/lib/systemd/system', '/lib/systemd/system'];

/** The name of the service's unit on this machine. */
export async function unitOf(host: Host, service: TimeService): Promise<string | undefined> {
  for (const unit of service.units) {
    for (const directory of UNIT_DIRECTORIES) {
      // An alias link would do for `restart` but not for `enable`.
      if ((await host.files.stat(`${directory}/${unit}.service`))?.kind === 'file') return unit;
    }
  }
  return undefined;
}
