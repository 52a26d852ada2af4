import { join } from 'node:path';
import type { Hierarchy } from '../host/cgroups.ts';

const PATH_INSIDE = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Joins the groups named before "--", then becomes the command after it. */
export const JOIN_GROUPS =
  'while [ "$1" != -- ]; do mkdir -p "$1"; echo $$ > "$1/cgroup.procs"; shift; done; shift; exec "$@"';

/** Group directories of the host in which a process counts as the machine's. */
export function execGroups(group: string, hierarchies: readonly Hierarchy[]): string[] {
  // In v2 only a leaf may hold processes, and the machine's own group has systemd's groups below it.
  return hierarchies.map((h) => join(h.mountpoint, group, ...(h.version === 2 ? ['lab-exec'] : [])));
}

/** The arguments of `sh` by which a command runs inside the machine whose PID 1 is `pid`. */
export function enterArgs(
  pid: number,
  groups: readonly string[],
  command: readonly string[],
  env: Readonly<Record<string, string>> = {},
): string[] {
  const variables = { PATH: PATH_INSIDE, HOME: '/root', LANG: 'C.UTF-8', TERM: 'dumb', ...env };
  return [
    ...['-c', JOIN_GROUPS, 'lab-exec', ...groups, '--'],
    ...['setpriv', '--bounding-set=-sys_time,-sys_module'],
    ...[
      'nsenter',
      '--target',
      String(pid),
      '--mount',
      '--pid',
      '--uts',
      '--ipc',
      '--net',
      '--cgroup',
      '--root',
      '--wd',
    ],
    ...['env', '-i', ...Object.entries(variables).map(([key, value]) => `${key}=${value}`)],
    ...command,
  ];
}
