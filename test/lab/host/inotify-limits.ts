import { readFile, rm, writeFile } from 'node:fs/promises';
import { INOTIFY_INSTANCES, INOTIFY_WATCHES } from './capacity.ts';

/** What the lab raises it to: enough for some sixty machines. */
const RAISED: Readonly<Record<string, number>> = { [INOTIFY_INSTANCES]: 1024, [INOTIFY_WATCHES]: 262_144 };

/**
 * Raise the host's limits of inotify where they are lower and root may; `note` keeps what they were.
 * @returns false where they cannot be set, as in a container
 */
export async function raiseInotifyLimits(note: string, limits = RAISED): Promise<boolean> {
  const kept = await readNote(note);
  for (const [path, wanted] of Object.entries(limits)) {
    const before = Number(await readFile(path, 'utf8'));
    if (before >= wanted) continue;
    // First the note: who dies between the two leaves nothing that cannot be put back.
    kept[path] ??= { before, raised: wanted };
    await writeFile(note, JSON.stringify(kept));
    try {
      await writeFile(path, `${wanted}\n`);
    } catch {
      return false;
    }
  }
  return true;
}

/** Put back what was raised, unless somebody has set it since. Harmless where nothing was. */
export async function restoreInotifyLimits(note: string): Promise<void> {
  for (const [path, { before, raised }] of Object.entries(await readNote(note))) {
    if (Number(await readFile(path, 'utf8')) === raised) await writeFile(path, `${before}\n`);
  }
  await rm(note, { force: true });
}

async function readNote(note: string): Promise<Record<string, { before: number; raised: number }>> {
  const text = await readFile(note, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw error;
  });
  return JSON.parse(text) as Record<string, { before: number; raised: number }>;
}
