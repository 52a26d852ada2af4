import type { Document, FileEntry, ReportEntry } from '../../document/document.ts';
import { type Host, HostError } from '../../host/host.ts';
import { ACCOUNT_FILES } from './impossible-accounts.ts';

/** Files that the step for them could not write, so that everything behind it would be left out. */
export async function impossibleFiles(
  { files }: Pick<Host, 'files'>,
  document: Document,
): Promise<ReportEntry[]> {
  // They run before, and may make room for a file, or its owner.
  if (document.bootCommands.length > 0) return [];
  const makesAccounts = document.files.some(({ path }) => ACCOUNT_FILES.has(path));
  const later = madeLater(document);
  const found: ReportEntry[] = [];
  for (const entry of document.files) {
    const { path, defer, owner } = entry;
    const place = defer ? undefined : await inTheWay(files, path);
    if (place !== undefined) found.push(error(entry, place));
    const isOwn = makesAccounts || (defer && later === 'anybody');
    const nobody = isOwn ? undefined : unknownOwner(files, owner);
    const isMade = later !== 'anybody' && owner.split(':').some((name) => later.has(name));
    if (nobody === undefined || (defer && isMade)) continue;
    const help = isMade ? ' before users are made; write the file with defer: true' : '';
    found.push(error(entry, `${nobody}${help}`));
  }
  return found;
}

/** Who is there for the files that are written last. Packages bring users of their own. */
function madeLater({ users, groups, system }: Document): 'anybody' | ReadonlySet<string> {
  if (system?.packages) return 'anybody';
  return new Set([
    ...users.flatMap((user) => [user.name, user.primaryGroup ?? user.name, ...user.groups]),
    ...groups.map(({ name }) => name),
  ]);
}

async function inTheWay(files: Host['files'], path: string): Promise<string | undefined> {
  try {
    return (await files.stat(path))?.kind === 'directory' ? 'a directory is there' : undefined;
  } catch (error) {
    if (error instanceof HostError && error.errno === 'ENOTDIR')
      return 'a part of the path is not a directory';
    // Whatever else it is, the step will say it.
    return undefined;
  }
}

/** Why nobody here has this name, by accounts as they are now. */
export function unknownOwner(files: Host['files'], owner: string): string | undefined {
  try {
    files.owner(owner);
    return undefined;
  } catch (error) {
    return error instanceof HostError && error.errno === 'EINVAL' ? error.message : undefined;
  }
}

function error({ path, where }: FileEntry, why: string): ReportEntry {
  const message = `${path} cannot be written: ${why}`;
  return { severity: 'error', code: 'FileNotWritten', message, ...(where ? { where } : {}) };
}
