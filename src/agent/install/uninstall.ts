import { dirname, join } from 'node:path';
import { KUBELET_DROP_IN, RUN_DIR, STATE_DIR } from '../document/paths.ts';
import type { Host } from '../host/host.ts';
import { InstallError } from './install-error.ts';
import {
  type InstallLayout,
  installLayout,
  isExtension,
  pendingShimPath,
  shimState,
  UNITS,
  type UnitName,
  unitFor,
  WANTED_BY,
  wantsLink,
} from './layout.ts';
import { explainReadOnly, extensionFiles, isReadOnly } from './read-only.ts';

/**
 * Takes back what `install` has put there; what a package brought stays for the package. Settings in /etc/slipway are the
 * operator's and stay. A shim, a unit or a link that is not as `install` makes it is somebody else's.
 *
 * @param self path of the running program
 * @param state also remove the journal, the spool and the machine's identity
 * @returns a sentence for each thing that is gone, or that stays though it has the name
 * @throws InstallError with these sentences, where a folder is read-only
 */
export async function uninstall(host: Host, self: string, state: boolean): Promise<string[]> {
  if ((await host.files.stat(KUBELET_DROP_IN)) !== undefined)
    throw new InstallError(
      `the kubelet of this node gets its certificate from slipway credential (${KUBELET_DROP_IN}) and would lose it; run slipway reset first`,
    );
  const place = await installLayout(host, self);
  const done: string[] = [];
  const stays: string[] = [];
  const remove = async (path: string): Promise<void> => {
    if ((await host.files.stat(path)) === undefined) return;
    try {
      await host.files.remove(path);
      done.push(`${join(host.root, path)} removed`);
    } catch (error) {
      if (!isReadOnly(error)) throw error;
      stays.push(
        `${join(host.root, path)} cannot be removed: ${await explainReadOnly(host, dirname(path), ALWAYS)}`,
      );
    }
  };
  await remove(pendingShimPath(place));
  const shim = await shimState(host, place);
  if (shim === 'own') await remove(place.shim);
  if (shim === 'slipway') done.push(`${join(host.root, place.shim)} stays: it is Slipway at another place`);
  if (shim === 'foreign') done.push(`${join(host.root, place.shim)} stays: it is not Slipway`);
  for (const name of Object.keys(WANTED_BY) as UnitName[]) {
    const path = `${UNITS}/${name}`;
    const text = (await host.files.readIfPresent(path))?.toString('utf8');
    if (text !== undefined && text !== unitFor(name, place)) {
      done.push(`${join(host.root, path)} stays: it was changed`);
      continue;
    }
    const link = wantsLink(name);
    if (link !== undefined) await remove(link);
    await remove(path);
  }
  if (!place.packaged) await remove(place.binary);
  if (state) for (const path of [STATE_DIR, RUN_DIR]) await remove(path);
  if (place.packaged && (await isExtension(host))) done.push(await howExtensionGoes(host, place));
  if (stays.length > 0) throw new InstallError(stays.join('\n'), done);
  return done;
}

const ALWAYS = 'take it out of the image';

async function howExtensionGoes(host: Host, { binary }: InstallLayout): Promise<string> {
  const files = (await extensionFiles(host)).join(' ');
  return (
    `${join(host.root, binary)} stays: it is of a system extension; that goes by systemd-sysext unmerge, ` +
    `rm -r ${files || 'slipway.raw'}, and systemd-sysext merge where others are left`
  );
}
