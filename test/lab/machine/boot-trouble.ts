import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hierarchies } from '../host/cgroups.ts';
import { LabError } from '../process/command.ts';

/** Since this release systemd knows control groups of version 2 alone, and freezes at its start on all others. */
const VERSION_2_ONLY = 258;

/** @throws LabError where the system of this root cannot boot on this host's control groups */
export async function demandBootable(root: string): Promise<void> {
  const status = await readFile(join(root, 'var/lib/dpkg/status'), 'utf8').catch(() => '');
  const why = unbootable(
    status,
    hierarchies().some(({ version }) => version === 1),
  );
  if (why !== undefined) throw new LabError(why);
}

/** @param status dpkg's list of the packages of a root */
export function unbootable(status: string, hasVersion1: boolean): string | undefined {
  const version = /^Package: systemd\n(?:[^\n]+\n)*?Version: (\d+)/m.exec(status)?.[1];
  if (!hasVersion1 || version === undefined || Number(version) < VERSION_2_ONLY) return undefined;
  return `this host has control groups of version 1, and systemd ${version} in the lab's machines boots on version 2 alone: boot the host with systemd.unified_cgroup_hierarchy=1, or take an older release of Debian (SLIPWAY_LAB_SUITE)`;
}

/** systemd as process 1 stops for good after that, and says nothing more. */
const FROZEN = /Freezing execution|^\[?!{3,}\]? .*(?:cgroup|Failed to)/m;

/** Has the system said on its console that it goes no further? */
export function isFrozen(console: string): boolean {
  return FROZEN.test(console);
}
