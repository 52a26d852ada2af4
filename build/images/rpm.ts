import { join } from 'node:path';
import { execaSync } from 'execa';
import type { Platform } from '../platforms.ts';
import { needTools } from './tools.ts';
import { imageFile, normalizeTree, type Package, populateTree } from './tree.ts';

const ARCHITECTURES: Readonly<Record<Platform, string>> = { 'linux-x64': 'x86_64', 'linux-arm64': 'aarch64' };

/** Makes a package for Fedora, RHEL, SUSE and Amazon Linux. @returns its path */
export function makeRpm(made: Package): string {
  needTools({ rpmbuild: 'rpm' });
  populateTree(made);
  normalizeTree(made.tree, made.epoch);
  const version = made.version.replace('-', '~');
  const architecture = ARCHITECTURES[made.platform];
  const macros = {
    _topdir: join(made.scratch, 'rpm'),
    _rpmdir: join(made.output, '..'),
    _rpmfilename: '%{NAME}-%{VERSION}-%{RELEASE}.%{ARCH}.rpm',
    slipway_version: version,
    slipway_tree: made.tree,
  };
  const defines = Object.entries(macros).flatMap(([name, value]) => ['--define', `${name} ${value}`]);
  const words = ['-bb', '--quiet', '--target', architecture, ...defines, imageFile('rpm', 'slipway.spec')];
  execaSync('rpmbuild', words, { env: { SOURCE_DATE_EPOCH: String(made.epoch), HOME: made.scratch } });
  return `${made.output}-${version}-1.${architecture}.rpm`;
}
