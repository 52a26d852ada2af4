import { lstatSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { normalize } from 'node:path';
import { HostError } from '../../../host.ts';
import { partsOf } from './resolve.ts';

const MAX_LINKS = 40;
const WRITABLE_BY_ALL = 0o002;
const STICKY = 0o1000;
/** Where everybody may change everything, or make what is missing, nobody's rights are enough. */
const NOBODY = 65_534;

/** How far root alone decides where a path leads, and who decides from there on. */
export interface TrustedPath {
  /** A path of this process without links that only root can change; it may still be missing. */
  base: string;
  /** What of the path lies below `base` where others than root can put links and change directories. */
  rest: string[];
  /** The user who can; undefined if nobody can, and then `rest` is empty. */
  whose: number | undefined;
  /** Whether there is a directory that holds `base`. */
  hasParent?: boolean;
  /** Nothing was at `base`. */
  isMissing?: boolean;
}

/**
 * Directories whose own entries nobody but root can exchange, by their paths as this process has them; what is missing in one for
 * everybody anybody may make. Good for one go without waiting, in which no program of the machine's runs.
 */
export type KnownDirectories = Map<string, Stats>;

/**
 * Follows an absolute path of the machine as long as only root could have made what is there: directories of root
 * that not everybody may write to, and root's links. `root` stands for the machine's `/`. In a directory such as /tmp, what
 * root has there stays root's; what is missing may at any moment be made by anybody.
 *
 * As in `resolveInRoot`, no link leads out of `root`. A group that root lets write to a directory is trusted.
 *
 * @param known grows, and what is in it is not looked at again
 * @throws HostError ELOOP after more than 40 links, EINVAL for a path that is not absolute
 */
export function followTrusted(root: string, path: string, known: KnownDirectories = new Map()): TrustedPath {
  if (!path.startsWith('/') || path.includes('\0'))
    throw new HostError(`the path ${JSON.stringify(path)} is not absolute`, 'EINVAL', path);
  const above = root === '/' ? '' : root;
  const owners = ownersOf(root);
  const whole = normalize(path);
  const parent = whole.slice(0, Math.max(0, whole.lastIndexOf('/')));
  // No part of a known path is a link. Files often lie side by side, so their directory is not walked to again.
  const knownParent = whole.endsWith('/') ? undefined : known.get(above + parent);
  const pending = partsOf(knownParent ? whole.slice(parent.length) : whole).reverse();
  let done = knownParent ? parent : '';
  /** What `done` was when it was looked at; undefined: missing. */
  let here: Stats | undefined | 'not looked at' = knownParent ?? 'not looked at';
  let hasParent = true;
  let links = 0;
  const foreign = (whose: number, base: string, ...names: string[]) => ({
    base: above + base || '/',
    rest: [...names, ...pending.reverse()],
    whose,
  });
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    if (part === '..') {
      done = done.slice(0, Math.max(0, done.lastIndexOf('/')));
      here = 'not looked at';
      hasParent = false;
      continue;
    }
    const next = `${done}/${part}`;
    const stat = known.get(above + next) ?? lstatSync(above + next, { throwIfNoEntry: false });
    if (stat?.isSymbolicLink()) {
      if (!owners.has(stat.uid)) return foreign(stat.uid, done, part);
      links += 1;
      if (links > MAX_LINKS) throw new HostError(`${path}: too many symbolic links`, 'ELOOP', path);
      const target = readlinkSync(above + next);
      if (target.startsWith('/')) [done, here] = ['', 'not looked at'];
      pending.push(...partsOf(target).reverse());
      continue;
    }
    if (!stat) {
      if (here === 'not looked at') here = lstatSync(above + done || '/', { throwIfNoEntry: false });
      if (isForAll(here)) return foreign(NOBODY, done, part);
    }
    hasParent = here !== 'not looked at' && here?.isDirectory() === true;
    [done, here] = [next, stat];
    if (!stat?.isDirectory()) continue;
    if (!owners.has(stat.uid)) return foreign(stat.uid, done);
    if (isForAll(stat) && (stat.mode & STICKY) === 0) return foreign(NOBODY, done);
    known.set(above + next, stat);
  }
  return { base: above + done || '/', rest: [], whose: undefined, hasParent, isMissing: here === undefined };
}

const ownersOfRoot = new Map<string, ReadonlySet<number>>();

/** Whose links and directories are trusted: root's, the agent's own, and those of whom the machine's `/` is. They stay the same. */
function ownersOf(root: string): ReadonlySet<number> {
  const known = ownersOfRoot.get(root);
  if (known) return known;
  const owners = new Set([0, process.geteuid?.() ?? 0, statSync(root).uid]);
  ownersOfRoot.set(root, owners);
  return owners;
}

function isForAll(directory: Stats | undefined): boolean {
  return directory !== undefined && (directory.mode & WRITABLE_BY_ALL) !== 0;
}
