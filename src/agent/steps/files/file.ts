import { hasHash } from '../../../kit/digest.ts';
import type { FetchSettings, FileEntry } from '../../document/document.ts';
import type { StepContext } from '../../engine/step.ts';
import { StepError } from '../../tools/step-error.ts';
import { withOpened } from '../tools/sealed-content.ts';
import { appended } from './appended.ts';
import { giveAttributes } from './attributes.ts';
import { writeRemote } from './remote-file.ts';

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
