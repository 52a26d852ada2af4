import { dirname } from 'node:path/posix';
import { isSealedFile } from '../../../tpm/sealing/is-sealed-file.ts';
import type { Document, FileEntry } from '../../document/document.ts';
import type { FileStat } from '../../host/files.ts';
import { type Host, HostError } from '../../host/host.ts';
import { certificatesDirOf } from '../../kubeadm/config/kubeadm-files.ts';

/**
 * The files that are not as the document has them, so that another run touches no other. What kubeadm reads, and the
 * cluster's certificates, stay as they are. What is fetched or sealed is not known before, and is written again.
 */
export async function dueFiles(host: Host, document: Document): Promise<FileEntry[]> {
  const configs = document.commands.flatMap((entry) =>
    entry.kind === 'kubeadm' && entry.configPath !== undefined ? [entry.configPath] : [],
  );
  const pki = await certificatesDirOf(host);
  const groups = Map.groupBy(document.files, ({ path }) => path);
  const due = new Set<FileEntry>();
  for (const [path, entries] of groups) {
    if (configs.includes(path) || `${dirname(path)}/`.startsWith(`${pki}/`)) continue;
    for (const entry of await dueEntries(host, path, entries)) due.add(entry);
  }
  return document.files.filter((entry) => due.has(entry)).map(replacing);
}

async function dueEntries(host: Host, path: string, entries: FileEntry[]): Promise<FileEntry[]> {
  if (entries.some(({ from, content }) => from !== undefined || isSealedFile(content.reveal())))
    return entries.filter(({ append }) => !append);
  const before = await host.files.stat(path);
  if (before === undefined) return entries;
  if (before.kind !== 'file') return before.kind === 'symlink' ? entries : [];
  const there = (await host.files.readIfPresent(path)) ?? Buffer.alloc(0);
  // What was added stands somewhere in the file: others may have added to it since.
  if (entries[0]?.append)
    return entries.filter(({ content }) => !there.includes(Buffer.from(content.reveal())));
  if (entries[0]?.rule?.present === 'keep') return [];
  const wanted = Buffer.concat(fromLastWhole(entries).map(({ content }) => content.reveal()));
  const last = entries.at(-1);
  const isSame = wanted.equals(there) && before.mode === last?.mode && isOwner(host, before, last.owner);
  return isSame ? [] : entries;
}

/** A user who is not there yet owns nothing. */
function isOwner(host: Host, { uid, gid }: FileStat, name: string): boolean {
  try {
    const owner = host.files.owner(name);
    return owner.uid === uid && owner.gid === gid;
  } catch (error) {
    if (error instanceof HostError) return false;
    throw error;
  }
}

/** What counts in the end: the last entry that is not added to another, and those behind it. */
function fromLastWhole(entries: FileEntry[]): FileEntry[] {
  return entries.slice(
    Math.max(
      0,
      entries.findLastIndex(({ append }) => !append),
    ),
  );
}

/** Ignition's `overwrite` speaks of the first boot, which has written the file. */
function replacing(entry: FileEntry): FileEntry {
  return entry.rule?.present === 'refuse' ? { ...entry, rule: { ...entry.rule, present: 'remove' } } : entry;
}
