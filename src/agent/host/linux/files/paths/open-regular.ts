import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { relative } from 'node:path';
import { HostError } from '../../../host.ts';
import { resolveInRoot } from './resolve.ts';
import { runAsUser } from './run-as-user.ts';
import { followTrusted, type TrustedPath } from './trusted-path.ts';

const { O_RDONLY, O_NONBLOCK, O_NOCTTY, O_NOFOLLOW, O_DIRECTORY } = constants;
/** The kernel makes these and whatever they link to; looking at each directory would only cost time. */
const KERNEL = /^\/(?:proc|sys)\//;

/**
 * Opens a regular file for reading and never waits for it. Where somebody else than root decides what a path leads to,
 * it is opened with that user's rights.
 *
 * @throws HostError EINVAL if it is a pipe, a socket or a device; otherwise the system's error
 */
export function openRegular(root: string, path: string): { fd: number; size: number } {
  return regular(open(root, path, placeOf(root, path)), path);
}

/** The same; undefined where nothing was seen there. */
export function openIfPresent(root: string, path: string): { fd: number; size: number } | undefined {
  const place = placeOf(root, path);
  // It has been looked at, and an error of the system's with its stack takes longer than all of these looks.
  if (place?.isMissing) return undefined;
  return regular(open(root, path, place), path);
}

function regular(fd: number, path: string): { fd: number; size: number } {
  try {
    const stat = fstatSync(fd);
    if (stat.isDirectory()) throw new HostError(`reading ${path}: is a directory`, 'EISDIR', path);
    if (!stat.isFile()) throw new HostError(`reading ${path}: is not a regular file`, 'EINVAL', path);
    return { fd, size: stat.size };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Undefined for what the kernel makes. */
function placeOf(root: string, path: string): TrustedPath | undefined {
  return root === '/' && KERNEL.test(path) ? undefined : followTrusted(root, path);
}

function open(root: string, path: string, place: TrustedPath | undefined): number {
  const flags = O_RDONLY | O_NONBLOCK | O_NOCTTY;
  if (place === undefined) return openSync(path, flags);
  const { base, rest, whose } = place;
  if (whose === undefined) return openSync(base, flags | O_NOFOLLOW);
  if (root === '/') return runAsUser(root, whose, () => openSync([base, ...rest].join('/'), flags));
  // The kernel would follow a link out of the root. And the user need not get at what is root's above: an image in root's home.
  const real = resolveInRoot(root, path);
  const above = real.startsWith(`${base}/`) ? base : root;
  const top = openSync(above, O_RDONLY | O_DIRECTORY);
  try {
    return runAsUser(root, whose, () => openSync(`/proc/self/fd/${top}/${relative(above, real)}`, flags));
  } finally {
    closeSync(top);
  }
}
