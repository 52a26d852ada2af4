import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { npm } from '../npm.ts';
import { root } from '../project.ts';

interface Locked {
  readonly version: string;
  /** `sha512-` and the sum of the package's archive in base64. */
  readonly integrity: string;
}

/** What package-lock.json says of a package. @throws Error where it does not know it */
export function lockedPackage(name: string): Locked {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Partial<Locked> | undefined>;
  };
  const { version, integrity } = packages[`node_modules/${name}`] ?? {};
  if (version === undefined || !integrity?.startsWith('sha512-'))
    throw new Error(`package-lock.json has no ${name} with a SHA-512 sum`);
  return { version, integrity };
}

/**
 * The folder of a package that `npm ci` leaves out because it is another platform's. npm fetches it at first use, from
 * where it gets all others; it is kept below node_modules/.cache.
 *
 * @throws Error where npm cannot fetch it, or its sum is not that of package-lock.json
 */
export function packageFolder(name: string): string {
  const { version, integrity } = lockedPackage(name);
  const installed = join(root, 'node_modules', name);
  if (existsSync(installed)) return installed;
  const cache = join(root, 'node_modules/.cache/slipway');
  const folder = join(cache, `${name}-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const scratch = mkdtempSync(join(cache, '.fetch-'));
  try {
    const packed = npm(
      ['pack', `${name}@${version}`, '--loglevel=error', '--pack-destination', scratch],
      scratch,
    );
    if (!packed.ok) throw new Error(`npm cannot fetch ${name} ${version}: ${packed.stderr}`);
    const archive = join(scratch, readdirSync(scratch)[0] ?? '');
    const sum = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
    if (sum !== integrity)
      throw new Error(`${name} ${version} as npm fetched it is not the one of package-lock.json: ${sum}`);
    execaSync('tar', ['--extract', '--gzip', '--file', archive, '--directory', scratch, '--no-same-owner']);
    renameSync(join(scratch, 'package'), folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return folder;
}
