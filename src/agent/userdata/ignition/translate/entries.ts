import { join } from 'node:path/posix';
import { sensitive } from '../../../../secrets/sensitive.ts';
import type { DirectoryEntry, FileEntry, LinkEntry, PlaceRule } from '../../../document/document.ts';
import { isSecretReference } from '../../../stores/reference/reference.ts';
import type { Remarks } from '../check/remarks.ts';
import type { Places } from '../schema/bind.ts';
import type { Directory, File, Link, Owner, Resource, Storage } from '../schema/spec3.ts';
import type { Contents } from './content.ts';
import { remoteOf } from './remote.ts';

const FILE_MODE = 0o644;
const SECRET_MODE = 0o600;
const DIRECTORY_MODE = 0o755;

/** Files, directories and links of a config. */
export function entriesOf(
  storage: Storage,
  contents: Contents,
  places: Places,
  say: Remarks,
): { files: FileEntry[]; directories: DirectoryEntry[]; links: LinkEntry[] } {
  return {
    files: (storage.files ?? []).flatMap((file) => filesOf(file, contents, places, say)),
    directories: (storage.directories ?? []).map((directory) => directoryOf(directory, places)),
    links: (storage.links ?? []).map((link) => linkOf(link, places)),
  };
}

/** A file, and what is to be appended to it, as entries that act one behind the other. */
function filesOf(file: File, contents: Contents, places: Places, say: Remarks): FileEntry[] {
  const { path = '', mode, user, group, overwrite, append = [] } = file;
  const isSecret = [file.contents ?? {}, ...append].some(({ source = '' }) => isSecretReference(source));
  // What becomes secret does not stay readable.
  const unsaid = unsaidOf(mode, user, group).filter((what) => !(isSecret && what === 'mode'));
  const entry = (resource: Resource, rule: PlaceRule, isAppended: boolean): FileEntry => ({
    path,
    ...contentOf(resource, contents, say),
    mode: mode ?? (isSecret ? SECRET_MODE : FILE_MODE),
    owner: ownerOf(user, group),
    append: isAppended,
    defer: false,
    rule,
    ...where(places, file),
  });
  const hasContents = file.contents?.source !== undefined;
  const present = hasContents ? (overwrite === true ? 'remove' : 'refuse') : 'keep';
  const isMade = hasContents || append.length === 0;
  const additions = append.map((resource) => entry(resource, { present: 'keep', unsaid }, true));
  if (!isMade) return additions;
  return [entry(file.contents ?? {}, { present, unsaid }, false), ...additions];
}

/** Bytes that lie in the config, or the place of those that do not. */
export function contentOf(
  resource: Resource,
  contents: Contents,
  say: Remarks,
): Pick<FileEntry, 'content' | 'from'> {
  const bytes = contents.bytesOf(resource);
  if (bytes) return { content: sensitive(bytes) };
  const { source = '', compression, verification } = resource;
  if (isSecretReference(source)) {
    const { hash } = verification ?? {};
    const reference = { url: sensitive(source), headers: [], isCompressed: compression === 'gzip' };
    return {
      content: sensitive(new Uint8Array()),
      from: { ...reference, ...(hash === undefined ? {} : { hash }) },
    };
  }
  const from = remoteOf(resource, say);
  return { content: sensitive(new Uint8Array()), ...(from ? { from } : {}) };
}

function directoryOf(directory: Directory, places: Places): DirectoryEntry {
  const { path = '', mode, user, group, overwrite } = directory;
  return {
    path,
    mode: mode ?? DIRECTORY_MODE,
    owner: ownerOf(user, group),
    rule: { present: overwrite === true ? 'remove' : 'keep', unsaid: unsaidOf(mode, user, group) },
    ...where(places, directory),
  };
}

function linkOf(link: Link, places: Places): LinkEntry {
  const { path = '', target = '', hard, user, group, overwrite } = link;
  return {
    path,
    // As Ignition resolves it, from the root on.
    target: hard === true ? join('/', target) : target,
    hard: hard === true,
    owner: ownerOf(user, group),
    overwrite: overwrite === true,
    ...where(places, link),
  };
}

function unsaidOf(mode?: number, user?: Owner, group?: Owner): PlaceRule['unsaid'] {
  return [
    ...(mode === undefined ? (['mode'] as const) : []),
    ...(isSaid(user) ? [] : (['user'] as const)),
    ...(isSaid(group) ? [] : (['group'] as const)),
  ];
}

function isSaid(owner: Owner | undefined): boolean {
  return owner?.id !== undefined || Boolean(owner?.name);
}

/** Whoever is not named is root. */
function ownerOf(user?: Owner, group?: Owner): string {
  return [user, group].map((one) => one?.name || String(one?.id ?? 0)).join(':');
}

function where(places: Places, of: object): Pick<FileEntry, 'where'> {
  const { where } = places.of(of);
  return where ? { where } : {};
}
