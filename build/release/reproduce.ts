import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execaSync } from 'execa';
import type { Platform } from '../platforms.ts';
import { cloneCheckout } from './clone.ts';

/** Folders of different lengths, none of them the checkout's. */
const FOLDERS = ['a', 'another-folder/with/a/longer/name'];

/**
 * Builds the commit at which the checkout stands in two folders, and compares what comes of it. What is not committed
 * does not count.
 *
 * @param say gets a line for each file
 * @returns names of files in dist/ that differ
 */
export function reproduce(platforms: readonly Platform[], say: (line: string) => void): string[] {
  const scratch = mkdtempSync(join(tmpdir(), 'slipway-reproduce-'));
  try {
    const [first = new Map(), second = new Map()] = FOLDERS.map((name) =>
      build(join(scratch, name), platforms),
    );
    for (const [name, sum] of first) say(`${sum}  ${name}${second.get(name) === sum ? '' : ' DIFFERS'}`);
    return [...first.keys()].filter((name) => second.get(name) !== first.get(name));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** @returns SHA-256 by name of what a clone of the checkout in `folder` builds */
function build(folder: string, platforms: readonly Platform[]): Map<string, string> {
  cloneCheckout(folder);
  const words = platforms.flatMap((platform) => ['--platform', platform]);
  execaSync(process.execPath, ['build/build.ts', ...words], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const names = [
    ...platforms.flatMap((platform) => [`slipway-${platform}`, `slipway-controller-${platform}`]),
    ...['slipway.cjs', 'slipway.8', 'slipway-controller.8', 'LICENSES.txt', 'LICENSES-controller.txt'],
    ...['addon-components.yaml', 'namespace-rights.yaml'],
  ];
  return new Map(
    names.map((name) => {
      const content = readFileSync(join(folder, 'dist', name));
      return [name, createHash('sha256').update(content).digest('hex')];
    }),
  );
}
