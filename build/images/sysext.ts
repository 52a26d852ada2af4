import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execaSync } from 'execa';
import type { Platform } from '../platforms.ts';
import { needTools } from './tools.ts';
import { imageFile, normalizeTree, type Package, populateTree } from './tree.ts';

const ARCHITECTURES: Readonly<Record<Platform, string>> = { 'linux-x64': 'x86-64', 'linux-arm64': 'arm64' };

/** A name for the file system that is the same each time; the image's own is `slipway`, as its extension release says. */
const UUID = '6f0b6f9e-51d7-4b0c-9d3c-3f2f1c5e7a10';

type FileSystem = 'squashfs' | 'erofs';

/**
 * Makes a system extension (systemd-sysext 252 or newer, Flatcar too): everything below /usr, for whatever distribution.
 * It must be installed under the name slipway.raw, since systemd looks for the release file of the image's name.
 *
 * @returns its path
 */
export function makeSysext(made: Package, fileSystem: FileSystem): string {
  needTools(fileSystem === 'squashfs' ? { mksquashfs: 'squashfs-tools' } : { 'mkfs.erofs': 'erofs-utils' });
  laySysext(made);
  const path = `${made.output}-${made.version}-${ARCHITECTURES[made.platform]}.${fileSystem}.raw`;
  rmSync(path, { force: true });
  const environment = { SOURCE_DATE_EPOCH: String(made.epoch) };
  if (fileSystem === 'squashfs') {
    const words = [made.tree, path, '-all-root', '-noappend', '-quiet', '-no-progress', '-comp', 'zstd'];
    execaSync('mksquashfs', [...words, '-Xcompression-level', '15'], { env: environment });
  } else {
    const words = ['-zlz4hc,12', '-T', String(made.epoch), '-U', UUID, '--all-root', path, made.tree];
    execaSync('mkfs.erofs', words, { env: environment });
  }
  return path;
}

/** The tree of an extension. */
function laySysext(made: Package): void {
  populateTree(made);
  const units = join(made.tree, 'usr/lib/systemd/system');
  for (const target of ['multi-user', 'sysinit'])
    rmSync(join(units, `${target}.target.wants`), { recursive: true });
  copyFileSync(imageFile('sysext', 'slipway-boot.target'), join(units, 'slipway-boot.target'));
  mkdirSync(join(units, 'multi-user.target.d'));
  copyFileSync(imageFile('sysext', '10-slipway.conf'), join(units, 'multi-user.target.d/10-slipway.conf'));
  const release = join(made.tree, 'usr/lib/extension-release.d/extension-release.slipway');
  mkdirSync(dirname(release), { recursive: true });
  const fields = ['ID=_any', `ARCHITECTURE=${ARCHITECTURES[made.platform]}`, 'EXTENSION_RELOAD_MANAGER=1'];
  writeFileSync(release, `${fields.join('\n')}\n`);
  normalizeTree(made.tree, made.epoch);
}
