import { dirname, join } from 'node:path';
import type { Host } from '../host/host.ts';
import { InstallError } from './install-error.ts';
import {
  IGNITION_SHIM,
  type InstallLayout,
  installLayout,
  isMasked,
  OPT_SHIM,
  PACKAGED_BINARY,
  pendingShimPath,
  realPathIfPresent,
  shimState,
  UNITS,
  type UnitName,
  unitFor,
  wantsLink,
} from './layout.ts';
import { explainReadOnly, isReadOnly } from './read-only.ts';

interface InstallWishes {
  readonly shim: boolean;
  readonly units: readonly UnitName[];
  /** The version of the running program. */
  readonly version: string;
  /** Path of the running program. */
  readonly self: string;
}

/**
 * Puts this binary, the shim and the units where they belong. Run twice it changes nothing; over an older version it
 * replaces the program and leaves settings and state as they are.
 *
 * @returns a sentence for each thing that was looked at
 * @throws InstallError before anything is changed, or with what was done, where a folder is read-only
 */
export async function install(host: Host, wishes: InstallWishes): Promise<string[]> {
  const place = await installLayout(host, wishes.self);
  if (wishes.shim && (await shimState(host, place)) === 'foreign')
    throw new InstallError(
      `${join(host.root, place.shim)} is there and is not Slipway; ` +
        (place.shim === OPT_SHIM
          ? 'leave it there and give --report: what Ignition gets, as in ignition/ of the release, puts Slipway before it'
          : 'move the real kubeadm to /usr/bin first, where Slipway finds it'),
    );
  for (const unit of wishes.units)
    if (await isMasked(host, unit))
      throw new InstallError(`${unit} is masked: systemctl unmask ${unit} first`);
  const isThere = await isProgram(host, place, wishes.self);
  if (!isThere) await refuseDowngrade(host, place.binary, wishes.version);
  // It comes first in PATH, and its units before those of the package.
  if (!place.packaged) await refuseDowngrade(host, PACKAGED_BINARY, wishes.version);
  const done: string[] = [];
  const put = async (path: string, work: () => Promise<string>, or = ''): Promise<void> => {
    try {
      done.push(await work());
    } catch (error) {
      if (!isReadOnly(error)) throw error;
      const why = await explainReadOnly(host, dirname(path), ALWAYS);
      throw new InstallError(`${join(host.root, path)} cannot be made: ${why}${or}`, done);
    }
  };
  await put(place.binary, async () =>
    isThere ? `${join(host.root, place.binary)} is this binary` : writeBinary(host, place, wishes.self),
  );
  if (wishes.shim) await put(place.shim, () => linkShim(host, place), otherShim(place));
  for (const unit of wishes.units) await put(`${UNITS}/${unit}`, () => enableUnit(host, place, unit));
  return done;
}

const ALWAYS =
  'do it while the image is built (--root), or take the system extension (images/README.md of the release)';

/** Is it the file that runs, or another with the same bytes? */
async function isProgram(host: Host, { binary }: InstallLayout, self: string): Promise<boolean> {
  if ((await realPathIfPresent(host, binary)) === self) return true;
  const { files, ownFiles } = host;
  const [there, own] = [await files.stat(binary), await ownFiles.stat(self)];
  if (there?.kind !== 'file' || there.size !== own?.size) return false;
  // Written anew it gets its mode, and root for its owner.
  if ((there.mode & 0o777) !== 0o755 || there.uid !== 0) return false;
  return (await files.read(binary)).equals(await ownFiles.read(self));
}

async function writeBinary(host: Host, { binary }: InstallLayout, self: string): Promise<string> {
  await host.files.write(binary, await host.ownFiles.read(self), { mode: 0o755, owner: 'root:root' });
  return `${join(host.root, binary)} written`;
}

async function linkShim(host: Host, place: InstallLayout): Promise<string> {
  const path = join(host.root, place.shim);
  const there = await shimState(host, place);
  if (there === 'own') return `${path} is there`;
  // Whoever calls kubeadm meanwhile finds the old one or the new one, and never the real one.
  const next = pendingShimPath(place);
  await host.files.remove(next);
  await host.files.symlink(place.shimTarget, next);
  await host.files.rename(next, place.shim);
  return `${path} -> ${place.shimTarget}`;
}

/** What else does what the shim does. */
function otherShim({ binary, shim, shimTarget }: InstallLayout): string {
  return (
    `; by hand the link is ln -s ${shimTarget} ${shim}. Or link ${IGNITION_SHIM} to ${binary}, and put ` +
    `${dirname(IGNITION_SHIM)} first in the PATH of what calls kubeadm`
  );
}

async function enableUnit(host: Host, place: InstallLayout, name: UnitName): Promise<string> {
  const link = wantsLink(name);
  const [also, and] = link === undefined ? ['', ''] : [', enabled', ' and enabled'];
  if (place.packaged) return `${name} comes with the package${also}`;
  const path = `${UNITS}/${name}`;
  const text = unitFor(name, place);
  const isWanted = link === undefined || (await host.files.stat(link)) !== undefined;
  if (isWanted && (await host.files.readIfPresent(path))?.toString('utf8') === text)
    return `${join(host.root, path)} is there${also}`;
  await host.files.write(path, text);
  if (!isWanted) await host.files.symlink(`../${name}`, link);
  return `${join(host.root, path)} written${and}`;
}

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
