import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { execaSync } from 'execa';

/** Tests and builds beside each other install one after the other. */
const LOCK = '/run/lock/slipway-apt.lock';
/** Somebody else's apt-get or dpkg is waited for. */
const WAIT = ['-o', 'DPkg::Lock::Timeout=300'];

/**
 * Installs Debian's `packages` on this host, after an update of its lists where that is needed.
 *
 * @returns what apt-get said where it could not; undefined where they are there
 */
export function installPackages(...packages: readonly string[]): string | undefined {
  if (process.getuid?.() !== 0) return 'only root can install it';
  // A container's /run may be empty.
  mkdirSync(dirname(LOCK), { recursive: true });
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...words: string[]) =>
    execaSync('flock', [LOCK, 'apt-get', ...WAIT, '-qq', ...words], { env, reject: false });
  const install = () => apt('install', '--yes', '--no-install-recommends', ...packages);
  if (install().exitCode === 0) return undefined;
  apt('update');
  const { exitCode, stderr } = install();
  return exitCode === 0 ? undefined : stderr.trim();
}
