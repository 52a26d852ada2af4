import { join } from 'node:path';
import type { Host } from '../host/host.ts';
import { InstallError } from './install-error.ts';
import { PACKAGED_BINARY } from './layout.ts';

/**
 * An older program may not understand the journal and the spool that a newer one has left. Asked of the program that is
 * there; one that does not answer, such as another architecture's, is replaced.
 *
 * @throws InstallError where what is there is newer
 */
export async function refuseDowngrade(host: Host, binary: string, version: string): Promise<void> {
  if ((await host.files.stat(binary)) === undefined) return;
  const argv = [binary, 'version', '--output', 'json'] as [string, ...string[]];
  const { exitStatus, stdout } = await host.processes.run({ argv, timeoutMs: 20_000 });
  const there = exitStatus === 0 ? /"version": "([^"]+)"/.exec(stdout)?.[1] : undefined;
  if (there !== undefined && compareVersions(there, version) > 0)
    throw new InstallError(
      `${join(host.root, binary)} is slipway ${there}, newer than this ${version}; ` +
        `where an older one is wanted, ${binary === PACKAGED_BINARY ? 'remove its package' : 'run its uninstall'} first`,
    );
}

/** Negative where `a` is older, as semantic versioning has it: a version with a suffix comes before the one without. */
export function compareVersions(a: string, b: string): number {
  const [first, second] = [split(a), split(b)];
  for (let index = 0; index < 3; index += 1) {
    const difference = (first.numbers[index] ?? 0) - (second.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  if (first.suffix === second.suffix) return 0;
  if (first.suffix === '') return 1;
  if (second.suffix === '') return -1;
  return first.suffix.localeCompare(second.suffix, 'en', { numeric: true });
}

function split(version: string): { numbers: number[]; suffix: string } {
  const [core = '', ...rest] = version.split('+', 1)[0]?.split('-') ?? [];
  return { numbers: core.split('.').map(Number), suffix: rest.join('-') };
}
