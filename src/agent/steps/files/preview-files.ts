import type { Diagnostic, FileEntry } from '../../document/document.ts';
import type { Host } from '../../host/host.ts';
import { pathOfFile } from '../../stores/reference/reference.ts';
import { type PreviewContext, unchangedMachine } from '../kind/preview.ts';
import { ACCOUNT_FILES, kindAt, madeBy, notWritten, unknownOwner } from '../tools/places.ts';

/** Files that the step for them could not write, so that everything behind it would be left out. */
export async function previewFiles(
  specs: readonly { entries: FileEntry[] }[],
  context: PreviewContext,
): Promise<Diagnostic[]> {
  const files = unchangedMachine(context)?.files;
  if (files === undefined) return [];
  const entries = specs.flatMap(({ entries }) => entries);
  const makesAccounts = entries.some(({ path }) => ACCOUNT_FILES.has(path));
  const later = madeBy(context.document);
  const found: Diagnostic[] = [];
  const before = new Set<string>();
  for (const entry of entries) {
    const { path, defer, owner } = entry;
    const place = defer ? undefined : await inTheWay(files, path);
    if (place !== undefined) found.push(notWritten(entry, place));
    const lost = defer ? undefined : await missingSource(files, entry, before);
    before.add(path);
    if (lost !== undefined) found.push(notWritten(entry, lost));
    const isOwn = makesAccounts || (defer && later === 'anybody');
    const nobody = isOwn ? undefined : unknownOwner(files, owner);
    const isMade = later !== 'anybody' && owner.split(':').some((name) => later.has(name));
    if (nobody === undefined || (defer && isMade)) continue;
    const help = isMade ? ' before users are made; write the file with defer: true' : '';
    found.push(notWritten(entry, `${nobody}${help}`));
  }
  return found;
}

async function inTheWay(files: Host['files'], path: string): Promise<string | undefined> {
  const kind = await kindAt(files, path);
  if (kind === 'blocked') return 'a part of the path is not a directory';
  if (kind !== 'directory') return undefined;
  const isLink = (await files.stat(path))?.kind === 'symlink';
  return isLink ? 'a link to a directory is there' : 'a directory is there';
}

/** A file of this machine that is the content of another. */
async function missingSource(
  files: Host['files'],
  { from, content }: FileEntry,
  before: ReadonlySet<string>,
): Promise<string | undefined> {
  if (from === undefined) return undefined;
  const url = from.url.reveal();
  // The content beside it counts where it gives nothing.
  if (!/^file:/i.test(url) || content.reveal().length > 0) return undefined;
  const source = pathOfFile(url);
  if (source === undefined || before.has(source)) return undefined;
  const kind = await kindAt(files, source);
  if (kind === 'nothing' || kind === 'blocked') return `its source ${source} is not there`;
  return kind === 'directory' || kind === 'other' ? `its source ${source} is no file` : undefined;
}
