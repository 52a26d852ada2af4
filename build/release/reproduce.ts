import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execaSync } from 'execa';
import type { Format } from '../images/images.ts';
import type { Platform } from '../platforms.ts';
import { cloneCheckout } from './clone.ts';

/** Folders of different lengths, none of them the checkout's, of people with different habits. */
const PLACES = [
  { name: 'a', umask: 0o022, env: { TZ: 'UTC' } },
  { name: 'another-folder/with/a/longer/name', umask: 0o077, env: { TZ: 'Asia/Kathmandu', LC_ALL: 'C' } },
];

/** What is made of a checkout: how it is called, and the files that come of it, all of a folder where none are named. */
interface Made {
  readonly words: readonly string[];
  readonly folder: string;
  readonly files?: readonly string[];
}

/** What `npm run build` makes for some platforms. */
export function builds(platforms: readonly Platform[]): Made {
  return {
    words: ['build/build.ts', ...platforms.flatMap((platform) => ['--platform', platform])],
    folder: 'dist',
    files: [
      ...platforms.flatMap((platform) => [`slipway-${platform}`, `slipway-controller-${platform}`]),
      ...['slipway.cjs', 'slipway.8', 'slipway-controller.8', 'LICENSES.txt', 'LICENSES-controller.txt'],
      ...['addon-components.yaml', 'namespace-rights.yaml'],
    ],
  };
}

/** What `npm run release` makes, without a signature. */
export function releases(formats: readonly Format[]): Made {
  return {
    words: ['build/release.ts', '--out', 'dist/release', '--images', formats.join(',')],
    folder: 'dist/release',
  };
}

/**
 * Makes the same of the commit at which the checkout stands in two folders, and compares what comes of it. What is not committed
 * does not count.
 *
 * @param say gets a line for each file
 * @returns names of files that differ
 */
export function reproduce(made: Made, say: (line: string) => void): string[] {
  const scratch = mkdtempSync(join(tmpdir(), 'slipway-reproduce-'));
  const umask = process.umask();
  try {
    const [first = new Map(), second = new Map()] = PLACES.map(({ name, umask: own, env }) => {
      process.umask(own);
      return make(join(scratch, name), made, env);
    });
    const names = [...new Set([...first.keys(), ...second.keys()])];
    const differ = names.filter((name) => second.get(name) !== first.get(name));
    for (const name of names)
      say(`${first.get(name)}  ${name}${differ.includes(name) ? ` DIFFERS: ${second.get(name)}` : ''}`);
    return differ;
  } finally {
    process.umask(umask);
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** @returns SHA-256 by name of what comes of a clone of the checkout */
function make(
  clone: string,
  { words, folder, files }: Made,
  env: Record<string, string>,
): Map<string, string> {
  cloneCheckout(clone);
  execaSync(process.execPath, words, { cwd: clone, env, stdio: ['ignore', 'ignore', 'inherit'] });
  const names = files ?? readdirSync(join(clone, folder)).sort();
  return new Map(
    names.map((name) => {
      const content = readFileSync(join(clone, folder, name));
      return [name, createHash('sha256').update(content).digest('hex')];
    }),
  );
}
