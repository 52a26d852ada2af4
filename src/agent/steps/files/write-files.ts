import { sensitive } from '../../../secrets/sensitive.ts';
import type { FileEntry, RemoteContent } from '../../document/document.ts';
import { failed, failure } from '../../engine/failure.ts';
import type { StepContext } from '../../engine/step.ts';
import { FetchError, fetchBytes } from '../../fetch/fetch.ts';
import type { Host } from '../../host/host.ts';
import type { StoresSpec } from '../../stores/contract/store.ts';
import { pathOfFile } from '../../stores/reference/reference.ts';
import { StepError } from '../../tools/step-error.ts';
import type { Work } from '../kind/step-kind.ts';
import { fetchProblem } from '../tools/fetch-problem.ts';
import { withOpened } from '../tools/sealed-content.ts';
import { SecretContents } from '../tools/secret-content.ts';
import { isSecret } from '../tools/secret-files.ts';
import { appended } from './file.ts';
import { isLostByReboot } from './volatile.ts';

export interface FilesSpec {
  entries: FileEntry[];
  stores?: StoresSpec;
}

/**
 * Writes files atomically; entries for one path act in order, as in cloud-init. The file's owner also owns
 * missing directories, as since cloud-init 23.1 (its change 1980); earlier, root did.
 */
export const writeFiles: Work<FilesSpec> = ({ entries, stores }) => ({
  // A server may give a secret once.
  repeatable: entries.every(({ append, from }) => !append && from === undefined),

  async run({ host, interrupted, signal, remainingMs }) {
    const secrets = new SecretContents(host, stores, signal);
    try {
      const opened: FileEntry[] = [];
      const anew = new Set<string>();
      for (const section of sections(entries)) {
        const whole = await secrets.fill(await withSources(host, section, signal));
        const ready = await withOpened(host, whole);
        await writeInOrder({ host, interrupted, remainingMs }, ready, anew);
        opened.push(...ready);
      }
      await confirmLast(secrets, entries, opened);
      return { done: true, message: `${entries.length} written` };
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
      // How much time the whole run had, the engine knows.
      if (error.code === 'DeadlineExceeded')
        return { done: false, failure: failure(error.code, error.message), retry: 'yes' };
      return failed(error.code, error.message, error.more);
    } finally {
      await secrets.close();
    }
  },

  async renew(host) {
    const secrets = new SecretContents(host, stores);
    try {
      for (const entry of entries) {
        if (!(await isLostByReboot(host, entry.path))) continue;
        const whole = await secrets.fillAgain(await withSources(host, [entry]));
        await writeBatch(host, await withOpened(host, whole), () => Number.POSITIVE_INFINITY);
      }
    } finally {
      await secrets.close();
    }
  },
});

/** Nothing is written before all is there, but for files that are the source of a later one. */
function sections(entries: readonly FileEntry[]): FileEntry[][] {
  const found: FileEntry[][] = [];
  let section: FileEntry[] = [];
  for (const entry of entries) {
    const source = fileOf(entry.from);
    if (source !== undefined && section.some(({ path }) => path === source)) {
      found.push(section);
      section = [];
    }
    section.push(entry);
  }
  return [...found, section];
}

/** A secret is on the disk as it came, unless a later entry for its path has changed it. */
async function confirmLast(
  secrets: SecretContents,
  entries: readonly FileEntry[],
  opened: readonly FileEntry[],
): Promise<void> {
  const last = new Map(entries.map(({ path }, index) => [path, index]));
  for (const [index, entry] of entries.entries()) {
    const written = opened[index];
    if (written && last.get(entry.path) === index && isSecret(entry)) await secrets.confirm(written);
  }
}

/** @param anew What was written anew in this run; grows. */
async function writeInOrder(
  context: Pick<StepContext, 'host' | 'interrupted' | 'remainingMs'>,
  entries: readonly FileEntry[],
  anew: Set<string>,
): Promise<void> {
  const { host, interrupted, remainingMs } = context;
  let batch = new Map<string, FileEntry>();
  for (const entry of entries) {
    // The file that a later entry appends to must exist first.
    if (entry.append || batch.has(entry.path)) {
      await writeBatch(host, [...batch.values()], remainingMs);
      batch = new Map();
    }
    // What was just written anew holds nothing that an earlier run has appended.
    if (entry.append) await append(host, entry, interrupted && !anew.has(entry.path));
    else {
      batch.set(entry.path, entry);
      anew.add(entry.path);
    }
  }
  await writeBatch(host, [...batch.values()], remainingMs);
}

/** How many files are written without a look at the clock: nothing else runs meanwhile. */
const AT_ONCE = 256;

/** @throws Problem DeadlineExceeded */
async function writeBatch(host: Host, entries: FileEntry[], remainingMs: () => number): Promise<void> {
  for (let at = 0; at < entries.length; at += AT_ONCE) {
    if (at > 0 && remainingMs() <= 0)
      throw new StepError('DeadlineExceeded', 'The deadline passed before all files were written');
    await host.files.writeAll(
      entries.slice(at, at + AT_ONCE).map(({ path, content, mode, owner }) => ({
        path,
        content: content.reveal(),
        options: { mode, owner, ownsParents: true },
      })),
    );
  }
}

async function append(
  host: Host,
  { path, content, mode, owner }: FileEntry,
  interrupted: boolean,
): Promise<void> {
  const present = (await host.files.readIfPresent(path)) ?? Buffer.alloc(0);
  const whole = appended(present, content.reveal(), interrupted);
  await host.files.write(path, whole, { mode, owner, ownsParents: true });
}

const MOST_BYTES = 64 * 1024 * 1024;
const ONE_ANSWER_SECONDS = 300;

/**
 * The entries with the contents that lie behind an address; secrets of a store are fetched later. Where an address gives nothing,
 * the content that the entry gives beside it counts, as with cloud-init; without any it is a problem.
 *
 * @throws Problem ResourceNotFetched, ResourceRefused
 */
async function withSources(
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
function fileOf(from: RemoteContent | undefined): string | undefined {
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
