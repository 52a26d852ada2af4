import { dirname, normalize } from 'node:path/posix';
import type { Diagnostic, Document, FileEntry } from '../../document/document.ts';
import type { FileStat } from '../../host/files.ts';
import { type Host, HostError } from '../../host/host.ts';

type Files = Host['files'];

const MOST_LINKS = 8;

/** What is where a path leads when its last part is a link; undefined where that is not known. */
async function followed(files: Files, path: string): Promise<FileStat['kind'] | 'nothing' | undefined> {
  let place = path;
  for (let links = 0; links < MOST_LINKS; links += 1) {
    const kind = (await files.stat(place))?.kind;
    if (kind !== 'symlink') return kind ?? 'nothing';
    const target = await files.readlink(place);
    place = target.startsWith('/') ? target : `${dirname(place)}/${target}`;
  }
  return undefined;
}

/** No path is longer (PATH_MAX). */
const LONGEST = 4096;

/** The directories that a path goes through, `/` the last. */
export function directoriesOf(path: string): string[] {
  const found: string[] = [];
  let here = normalize(path)
    .replace(/(.)\/$/, '$1')
    .slice(0, LONGEST);
  while (here !== '/' && here !== '.') {
    here = dirname(here);
    found.push(here);
  }
  return found;
}

/** What is at a path now, links followed; `blocked` where a part of it is no directory. What cannot be looked at is not known. */
export async function kindAt(
  files: Files,
  path: string,
): Promise<'file' | 'directory' | 'other' | 'nothing' | 'blocked' | 'unknown'> {
  try {
    const kind = await followed(files, path);
    return kind === undefined || kind === 'symlink' ? 'unknown' : kind;
  } catch (error) {
    return error instanceof HostError && error.errno === 'ENOTDIR' ? 'blocked' : 'unknown';
  }
}

/** Who is made for what comes behind the users. Packages bring users of their own. */
export function madeBy({ users, groups, system }: Document): 'anybody' | ReadonlySet<string> {
  if (system?.packages) return 'anybody';
  return new Set([
    ...users.flatMap((user) => [user.name, user.primaryGroup ?? user.name, ...user.groups]),
    ...groups.map(({ name }) => name),
  ]);
}

/** Why nobody here has this name, by accounts as they are now. */
export function unknownOwner(files: Files, owner: string): string | undefined {
  try {
    files.owner(owner);
    return undefined;
  } catch (error) {
    return error instanceof HostError && error.errno === 'EINVAL' ? error.message : undefined;
  }
}

export function notWritten({ path, where }: Pick<FileEntry, 'path' | 'where'>, why: string): Diagnostic {
  const message = `${path} cannot be written: ${why}`;
  return { severity: 'error', code: 'FileNotWritten', message, ...(where ? { where } : {}) };
}

/** Whoever writes these makes users of his own. */
export const ACCOUNT_FILES: ReadonlySet<string> = new Set(['/etc/passwd', '/etc/group']);
