import { sensitive } from '../../../secrets/sensitive.ts';
import type { FileEntry, RemoteContent } from '../../document/document.ts';
import { FetchError, fetchBytes } from '../../fetch/fetch.ts';
import type { Host } from '../../host/host.ts';
import { pathOfFile } from '../../stores/reference/file-address.ts';
import { fetchProblem } from '../tools/fetch-problem.ts';
import { isSecret } from '../tools/secret-files.ts';

const MOST_BYTES = 64 * 1024 * 1024;
const ONE_ANSWER_SECONDS = 300;

/**
 * The entries with the contents that lie behind an address; secrets of a store are fetched later. Where an address gives nothing,
 * the content that the entry gives beside it counts, as with cloud-init; without any it is a problem.
 *
 * @throws Problem ResourceNotFetched, ResourceRefused
 */
export async function withSources(
  host: Host,
  entries: readonly FileEntry[],
  signal?: AbortSignal,
): Promise<FileEntry[]> {
  const found: FileEntry[] = [];
  for (const entry of entries) {
    const { from, ...rest } = entry;
    if (from === undefined || isSecret(entry)) found.push(entry);
    else found.push({ ...rest, content: sensitive(await contentOf(host, entry, from, signal)) });
  }
  return found;
}

/** The file of this machine that is a content. */
export function fileOf(from: RemoteContent | undefined): string | undefined {
  const url = from?.url.reveal() ?? '';
  return /^file:/i.test(url) ? pathOfFile(url) : undefined;
}

async function contentOf(
  host: Host,
  { path, content }: FileEntry,
  from: RemoteContent,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const otherwise = content.reveal();
  try {
    return await read(host, from, signal);
  } catch (error) {
    if (error instanceof FetchError && otherwise.length > 0) return otherwise;
    throw fetchProblem(error, `${path} was not written`);
  }
}

async function read(host: Host, from: RemoteContent, signal: AbortSignal | undefined): Promise<Uint8Array> {
  if (new URL(from.url.reveal()).protocol === 'file:') {
    const place = fileOf(from);
    const bytes = place === undefined ? undefined : await host.files.readIfPresent(place, MOST_BYTES);
    if (bytes === undefined) throw new FetchError(`${place ?? 'the file'} is not there`, true);
    return bytes;
  }
  return fetchBytes(host, from, { authorities: [], totalSeconds: ONE_ANSWER_SECONDS }, MOST_BYTES, signal);
}
