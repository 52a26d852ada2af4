import {
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  statSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { isErrno } from '../../../common/system/system-error.ts';
import { HostError } from '../../../host.ts';
import { runAsUser } from './run-as-user.ts';
import { followTrusted, type KnownDirectories } from './trusted-path.ts';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;

/** A directory that stays the one that was looked at, and a name in it. */
export interface Parent {
  /** The directory: its path if only root can change where that leads, else `/proc/self/fd/N`. */
  directory: string;
  name: string;
  /** The directory is in the hands of somebody else than root, who may at any moment change what is in it. */
  isForeign: boolean;
  close(): void;
}

interface MissingParents {
  mode: number;
  owner?: { uid: number; gid: number };
}

/**
 * Finds the directory that holds `path`, after root's own links, and makes it if it is missing. Where somebody else than
 * root can change a directory, or make what is missing in it, each one below it is opened from its parent, and no link is
 * followed; missing ones are made with that user's rights, unless they are to be root's.
 *
 * @param known see `followTrusted`
 * @throws HostError ELOOP if somebody else's link is in the way; otherwise the system's error
 */
export function openParent(
  root: string,
  path: string,
  missing: MissingParents,
  known: KnownDirectories = new Map(),
): Parent {
  const { base, rest, whose, hasParent } = followTrusted(root, path, known);
  if (whose !== undefined) return descend(root, base, rest, missing, path);
  const directory = dirname(base);
  if (hasParent || !makeDirectories(directory, missing))
    return { directory, name: basename(base), isForeign: false, close: () => undefined };
  // The new directories may belong to somebody else than root.
  return openParent(root, path, missing, known);
}

/**
 * Makes the missing directories of a path. One by one: Node.js's recursive mkdir says "no such file or directory" whatever
 * the reason is. They get their owner from the last to the first, so that nobody can move one that is still to be given away.
 *
 * @returns whether one was made for another owner than this process
 */
function makeDirectories(path: string, { mode, owner }: MissingParents): boolean {
  const made: string[] = [];
  const make = (directory: string): void => {
    if (isDirectory(directory)) return;
    if (dirname(directory) !== directory) make(dirname(directory));
    try {
      mkdirSync(directory, { mode });
      made.unshift(directory);
    } catch (error) {
      // Another program may have made it meanwhile.
      if (!isDirectory(directory)) throw error;
    }
  };
  make(path);
  if (owner) for (const directory of made) lchownSync(directory, owner.uid, owner.gid);
  return owner !== undefined && owner.uid !== process.geteuid?.() && made.length > 0;
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function descend(root: string, base: string, rest: string[], missing: MissingParents, path: string): Parent {
  const names = rest.slice(0, -1);
  const last = rest.at(-1);
  if (last === undefined) throw new HostError(`writing ${path}: is a directory`, 'EISDIR', path);
  let fd = openSync(base, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  const here = (name: string) => `/proc/self/fd/${fd}/${name}`;
  const refuseLink = (name: string) => {
    if (name === '..' || lstatSync(here(name), { throwIfNoEntry: false })?.isSymbolicLink())
      throw new HostError(`${path}: ${name} is a symbolic link of somebody else than root`, 'ELOOP', path);
  };
  try {
    for (const name of names) {
      refuseLink(name);
      const next = openOrMake(root, fd, here(name), missing);
      closeSync(fd);
      fd = next;
    }
    refuseLink(last);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  return { directory: `/proc/self/fd/${fd}`, name: last, isForeign: true, close: () => closeSync(fd) };
}

function openOrMake(root: string, parent: number, path: string, { mode, owner }: MissingParents): number {
  const open = () => openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    return open();
  } catch (error) {
    if (!isErrno(error, 'ENOENT')) throw error;
  }
  const maker = (owner?.uid ?? 0) === 0 ? 0 : fstatSync(parent).uid;
  try {
    runAsUser(root, maker, () => mkdirSync(path, { mode }));
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error;
    return open();
  }
  const fd = open();
  // Where everybody may make something, as in /tmp, root makes the first one and gives it away.
  if (owner && maker === 0 && fstatSync(fd).uid === 0) fchownSync(fd, owner.uid, owner.gid);
  return fd;
}
