import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { PACKAGED_BINARY } from '../../src/agent/install/layout.ts';
import type { Platform } from '../platforms.ts';
import { needTools } from './tools.ts';
import { imageFile, normalizeTree, type Package, populateTree, template } from './tree.ts';

const ARCHITECTURES: Readonly<Record<Platform, string>> = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' };
const SCRIPTS = ['preinst', 'postinst', 'prerm', 'postrm'];

/** Makes a package for Debian and Ubuntu, with xz, which every dpkg of today reads. @returns its path */
export function makeDeb(made: Package): string {
  needTools({ 'dpkg-deb': 'dpkg' });
  populateTree(made);
  const control = join(made.tree, 'DEBIAN');
  mkdirSync(control);
  const values = {
    VERSION: made.version.replace('-', '~'),
    ARCHITECTURE: ARCHITECTURES[made.platform],
    KILOBYTES: String(Math.ceil(statSync(join(made.tree, PACKAGED_BINARY)).size / 1024)),
  };
  for (const name of ['control', ...SCRIPTS]) {
    writeFileSync(join(control, name), template(readFileSync(imageFile('deb', name), 'utf8'), values));
    if (name !== 'control') chmodSync(join(control, name), 0o755);
  }
  normalizeTree(made.tree, made.epoch);
  const path = `${made.output}_${values.VERSION}_${values.ARCHITECTURE}.deb`;
  // One thread: what several make of it depends on how many there are.
  const words = ['--root-owner-group', '-Zxz', '-z6', '--threads-max=1', '--build', made.tree, path];
  execaSync('dpkg-deb', words, { env: { SOURCE_DATE_EPOCH: String(made.epoch) } });
  return path;
}
