import { normalize } from 'node:path/posix';
import { hasHash } from '../../../kit/digest.ts';
import { isSealedFile } from '../../../tpm/sealing/is-sealed-file.ts';
import type { Diagnostic, DirectoryEntry, Document, FileEntry, LinkEntry } from '../../document/document.ts';
import type { Host } from '../../host/host.ts';
import { isSecretReference } from '../../stores/reference/reference.ts';
import type { PreviewContext } from '../kind/preview.ts';
import { ACCOUNT_FILES, directoriesOf, kindAt, madeBy, notWritten, unknownOwner } from '../tools/places.ts';

type Files = Host['files'];
type Placed = Pick<FileEntry, 'path' | 'owner' | 'where'>;

/**
 * Files, directories and links of Ignition that cannot be made as they are asked for: all behind them would be left out. Nothing
 * of the document runs before them but what `changedBefore` knows.
 */
export async function previewTree(
  specs: readonly { files: FileEntry[]; directories: DirectoryEntry[]; links: LinkEntry[] }[],
  { document, moment, host }: PreviewContext,
): Promise<Diagnostic[]> {
  if (moment === 'check' || moment === 'again') return [];
  const { files } = host;
  const entries = specs.flatMap((spec) => spec.files);
  const directories = specs.flatMap((spec) => spec.directories);
  const links = specs.flatMap((spec) => spec.links);
  const isChanged = changedBefore(document);
  const found: Diagnostic[] = [];
  const look = async (entry: Placed, why: () => Promise<string | undefined>) => {
    if (isChanged(entry.path)) return;
    const isBlocked = (await kindAt(files, entry.path)) === 'blocked';
    const said = isBlocked ? 'a part of the path is not a directory' : await why().catch(() => undefined);
    if (said !== undefined) found.push(notWritten(entry, said));
  };
  for (const entry of entries) await look(entry, () => inTheWay(files, entry));
  for (const entry of directories) await look(entry, () => inTheWayOfDirectory(files, entry));
  const made = new Set([...entries, ...directories, ...links].map(({ path }) => normalize(path)));
  for (const entry of links) {
    await look(entry, () => inTheWayOfLink(files, entry));
    if (entry.hard && !made.has(normalize(entry.target)) && !isChanged(entry.target))
      await look(entry, () => withoutTarget(files, entry));
  }
  return [...found, ...withoutOwner(files, document, [...entries, ...directories, ...links])];
}

/** What stands at a path, or above it, when the tree is made, is not what is there now. */
function changedBefore(document: Document): (path: string) => boolean {
  const { filesystems, directories = [], links = [], users, hostname, network, files } = document;
  const removed = users.some(({ exact }) => exact?.exists === false);
  const above = new Set(
    [
      ...filesystems.flatMap(({ mount }) => mount?.path ?? []),
      ...[...directories, ...files].flatMap(({ path, rule }) => (rule?.present === 'remove' ? [path] : [])),
      ...links.map(({ path }) => path),
      ...(removed ? ['/home', '/var'] : []),
      ...(network ? ['/etc'] : []),
    ].map((path) => normalize(path).replace(/(.)\/$/, '$1')),
  );
  const isNamed = (path: string) => hostname !== undefined && path === '/etc/hostname';
  return (path) => isNamed(path) || directoriesOf(path).some((place) => above.has(place));
}

async function inTheWay(files: Files, entry: FileEntry): Promise<string | undefined> {
  const { path, rule, append, content, from } = entry;
  if (rule?.present === 'remove') return undefined;
  const before = await files.stat(path);
  if (before === undefined) return undefined;
  if (before.kind !== 'file') return 'something is there already, and it is no regular file';
  const isLater = isSecretReference(from?.url.reveal() ?? '') || isSealedFile(content.reveal());
  if (rule?.present !== 'refuse' || append || isLater) return undefined;
  const present = (await files.readIfPresent(path)) ?? Buffer.alloc(0);
  const isSame = from
    ? from.hash !== undefined && hasHash(present, from.hash)
    : present.equals(content.reveal());
  return isSame ? undefined : 'something is there already, and overwrite is not true';
}

async function inTheWayOfDirectory(
  files: Files,
  { path, rule }: DirectoryEntry,
): Promise<string | undefined> {
  const before = rule.present === 'remove' ? undefined : await files.stat(path);
  return before === undefined || before.kind === 'directory'
    ? undefined
    : 'something else is there, and overwrite is not true';
}

async function inTheWayOfLink(
  files: Files,
  { path, target, hard, overwrite }: LinkEntry,
): Promise<string | undefined> {
  if (overwrite || hard) return undefined;
  const before = await files.stat(path);
  if (before === undefined) return undefined;
  const isThere = before.kind === 'symlink' && normalize(await files.readlink(path)) === normalize(target);
  return isThere ? undefined : 'something else is there, and overwrite is not true';
}

async function withoutTarget(files: Files, { target }: LinkEntry): Promise<string | undefined> {
  const kind = await kindAt(files, target);
  return kind === 'nothing' || kind === 'blocked' ? `${target} is not there` : undefined;
}

function withoutOwner(files: Files, document: Document, entries: readonly Placed[]): Diagnostic[] {
  const made = madeBy(document);
  if (made === 'anybody' || entries.some(({ path }) => ACCOUNT_FILES.has(path))) return [];
  return entries.flatMap((entry) => {
    const [user = '', group] = entry.owner.split(':', 2);
    const nobody =
      (made.has(user) ? undefined : unknownOwner(files, user)) ??
      (group === undefined || made.has(group) ? undefined : unknownOwner(files, `root:${group}`));
    return nobody === undefined ? [] : [notWritten(entry, nobody)];
  });
}
