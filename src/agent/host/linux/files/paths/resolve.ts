import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import { resolve } from 'node:path';
import { HostError } from '../../../host.ts';

const MAX_LINKS = 40;

/**
 * Maps an absolute path of the machine to a path of this process and resolves every symbolic link as if
 * `root` were `/`. The result never lies outside `root`, wherever the links below it point (as with openat2's
 * RESOLVE_IN_ROOT).
 *
 * Without `followLast` it does not resolve a final symbolic link. It keeps missing parts of the path as they
 * are.
 *
 * @throws HostError ELOOP after more than 40 links, EINVAL for a path that is not absolute
 */
export function resolveInRoot(root: string, path: string, followLast = true): string {
  absolute(path);
  // The kernel resolves links when the path is used.
  if (root === '/') return resolve(path);
  return walk(root, path, followLast);
}

/**
 * The target of `path` without any symbolic link, as a path of this process, also if `root` is `/`.
 *
 * @throws HostError like `resolveInRoot`
 */
export function realInRoot(root: string, path: string): string {
  return walk(root, absolute(path), true);
}

function walk(root: string, path: string, followLast: boolean): string {
  const above = root === '/' ? '' : root;
  const pending = partsOf(path).reverse();
  let done = '';
  let links = 0;
  /** Below what is missing there is nothing to look at. */
  let isMissing = false;
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    if (part === '..') {
      done = done.slice(0, Math.max(0, done.lastIndexOf('/')));
      isMissing = false;
      continue;
    }
    const next = `${done}/${part}`;
    const isLeft: boolean = isMissing || (pending.length === 0 && !followLast);
    const stat: Stats | undefined = isLeft ? undefined : lstatSync(above + next, { throwIfNoEntry: false });
    isMissing ||= !isLeft && stat === undefined;
    const target = stat?.isSymbolicLink() ? readlinkSync(above + next) : undefined;
    if (target === undefined) {
      done = next;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) throw new HostError(`${path}: too many symbolic links`, 'ELOOP', path);
    if (target.startsWith('/')) done = '';
    pending.push(...partsOf(target).reverse());
  }
  return above + done || '/';
}

export function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}

function absolute(path: string): string {
  if (path.startsWith('/') && !path.includes('\0')) return path;
  throw new HostError(`the path ${JSON.stringify(path)} is not absolute`, 'EINVAL', path);
}
