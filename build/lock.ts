import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './project.ts';

interface Lock {
  readonly packages: Readonly<Record<string, { engines?: unknown }>>;
}

const PATH = join(root, 'package-lock.json');

/** Packages in a package-lock.json that say which Node.js they want. The project itself, '', may say which npm it wants. */
export function packagesWithEngines({ packages }: Lock): string[] {
  return Object.keys(packages).filter((path) => path !== '' && packages[path]?.engines !== undefined);
}

export function readLock(): Lock {
  return JSON.parse(readFileSync(PATH, 'utf8'));
}

// node build/lock.ts: removes `engines` from the packages in package-lock.json; part of npm run fix. npm compares them with
// the Node.js that runs npm, but the packages run on the Node.js that the project brings. On an older one npm would print a
// page of warnings, and silently leave out optional packages, such as the native half of Vitest's bundler.
if (import.meta.main) {
  const lock = readLock();
  const paths = packagesWithEngines(lock);
  for (const path of paths) delete lock.packages[path]?.engines;
  if (paths.length > 0) writeFileSync(PATH, `${JSON.stringify(lock, undefined, 2)}\n`);
}
