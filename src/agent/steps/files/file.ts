import { basename, dirname, join } from 'node:path/posix';
import { digest, hasHash } from '../../../kit/digest.ts';
import type { FetchSettings, FileEntry, PlaceRule } from '../../document/document.ts';
import type { StepContext } from '../../engine/step.ts';
import { fetchRemote } from '../../fetch/fetch.ts';
import type { Host } from '../../host/host.ts';
import { StepError } from '../../tools/step-error.ts';
import { fetchProblem } from '../tools/fetch-problem.ts';
import { withOpened } from '../tools/sealed-content.ts';

/** A file, or an addition to one, and more additions. */
export type FileParts = [FileEntry, ...FileEntry[]];

/**
 * Makes a file, or adds to one, by its rule for what is there.
 *
 * @param interrupted The addition may have been made already.
 * @throws Problem FileNotWritten; HostError
 */
export async function makeFile(
  context: Pick<StepContext, 'host' | 'signal'>,
  parts: FileParts,
  fetching: FetchSettings,
  interrupted: boolean,
): Promise<void> {
  const { host } = context;
  const [entry] = parts;
  const { path, rule } = entry;
  const isRemote = parts.some(({ from }) => from !== undefined);
  const opened = await withOpened(host, parts);
  const content = Buffer.concat(opened.map((part) => part.content.reveal()));
  const present = rule?.present ?? 'remove';
  const before = await host.files.stat(path);
  if (before && present !== 'remove' && before.kind !== 'file') throw inTheWay(path, 'it is no regular file');
  // Nobody is to read a file between its writing and its owner's.
  const write = () =>
    isRemote
      ? writeRemote(context, parts, fetching, Buffer.alloc(0))
      : host.files.write(path, content, { mode: entry.mode, owner: entry.owner });
  if (entry.append) {
    const old = (await host.files.readIfPresent(path)) ?? Buffer.alloc(0);
    const { mode, owner } = before ? kept(before) : entry;
    if (!isRemote) await host.files.write(path, appended(old, content, interrupted), { mode, owner });
    else {
      await writeRemote(context, parts, fetching, old);
      if (before) await host.files.setAttributes(path, before);
    }
  } else if (isRemote && present === 'refuse' && before) {
    // It came whole or not at all; whose it is, only its hash tells.
    const hash = parts.length === 1 ? entry.from?.hash : undefined;
    if (hash === undefined || !hasHash((await host.files.readIfPresent(path)) ?? Buffer.alloc(0), hash)) {
      if (!interrupted) throw inTheWay(path, 'overwrite is not true');
      await write();
    }
  } else if (present === 'refuse' && before) {
    if (!content.equals((await host.files.readIfPresent(path)) ?? Buffer.alloc(0)))
      throw inTheWay(path, 'overwrite is not true');
  } else if (present === 'remove') {
    if (before?.kind !== 'file') await host.files.remove(path);
    await write();
  } else if (!before) await write();
  const isNew = !before || present !== 'keep';
  await giveAttributes(host, { ...entry, rule: { present, unsaid: isNew ? [] : (rule?.unsaid ?? []) } });
}

function kept({ mode, uid, gid }: { mode: number; uid: number; gid: number }): {
  mode: number;
  owner: string;
} {
  return { mode, owner: `${uid}:${gid}` };
}

function inTheWay(path: string, why: string): StepError {
  return new StepError('FileNotWritten', `${path} was not written: something is there already, and ${why}`);
}

/**
 * Writes a file of which at least one part is to be fetched: piece by piece into a file beside it, which takes
 * its place when everything is there and right.
 *
 * @param old What the parts are appended to.
 * @throws Problem ResourceNotFetched, ResourceRefused; HostError
 */
async function writeRemote(
  { host, signal }: Pick<StepContext, 'host' | 'signal'>,
  parts: readonly FileEntry[],
  settings: FetchSettings,
  old: Uint8Array,
): Promise<void> {
  const [{ path } = { path: '' }] = parts;
  const temporary = join(dirname(path), `.slipway-${digest(basename(path)).slice(0, 12)}.part`);
  await host.files.write(temporary, old, { mode: 0o600, owner: '0:0' });
  try {
    const handle = await host.files.openAppend(temporary, 0o600);
    try {
      for (const { content, from } of parts) {
        if (from) await fetchRemote(host, from, settings, (piece) => handle.append(piece, false), signal);
        else await handle.append(content.reveal(), false);
      }
    } finally {
      await handle.close();
    }
    await host.files.rename(temporary, path);
  } catch (error) {
    await host.files.remove(temporary);
    throw fetchProblem(error, `${path} was not written`);
  }
}

/**
 * Gives a file or directory the mode and owner that are said; what is not said stays as it is.
 * @throws HostError
 */
export async function giveAttributes(
  host: Host,
  { path, mode, owner, rule }: { path: string; mode: number; owner: string; rule?: PlaceRule },
): Promise<void> {
  const is = await host.files.stat(path);
  if (!is) return;
  const wanted = host.files.owner(owner);
  const said = (what: 'mode' | 'user' | 'group') => !rule?.unsaid.includes(what);
  await host.files.setAttributes(path, {
    uid: said('user') ? wanted.uid : is.uid,
    gid: said('group') ? wanted.gid : is.gid,
    mode: said('mode') ? mode : is.mode,
  });
}

/**
 * A file with an addition at its end.
 *
 * @param interrupted The addition may have been made already: appending twice is not harmless.
 */
export function appended(present: Uint8Array, addition: Uint8Array, interrupted: boolean): Buffer {
  const isThere =
    interrupted &&
    addition.length <= present.length &&
    Buffer.from(addition).equals(present.subarray(present.length - addition.length));
  return isThere ? Buffer.from(present) : Buffer.concat([present, addition]);
}
