import type { FileEntry } from '../../document/document.ts';
import { failed } from '../../engine/failure.ts';
import type { Host } from '../../host/host.ts';
import type { Work } from '../kind/step-kind.ts';
import { Problem } from '../tools/problem.ts';
import { withOpened } from '../tools/sealed-content.ts';
import { withSources } from './sourced-content.ts';

/** Directories that a reboot empties; Cluster API puts kubeadm's configuration there. */
const VOLATILE = /^\/(run|tmp|var\/run|dev\/shm)\//;

/**
 * Writes files atomically; entries for one path act in order, as in cloud-init. The file's owner also owns
 * missing directories, as since cloud-init 23.1 (its change 1980); earlier, root did.
 */
export const writeFiles: Work<{ entries: FileEntry[] }> = ({ entries }) => ({
  async run({ host, interrupted, signal }) {
    try {
      const whole = await withSources(host, entries, signal);
      await writeInOrder(host, await withOpened(host, whole), interrupted);
      return { done: true, message: `${entries.length} written` };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return failed(error.code, error.message, error.more);
    }
  },

  async renew(host) {
    for (const entry of entries) {
      const isLost = VOLATILE.test(entry.path) && (await host.files.stat(entry.path)) === undefined;
      if (isLost) await writeBatch(host, await withOpened(host, await withSources(host, [entry])));
    }
  },
});

async function writeInOrder(host: Host, entries: readonly FileEntry[], interrupted: boolean): Promise<void> {
  let batch: FileEntry[] = [];
  for (const entry of entries) {
    // The file that a later entry appends to must exist first.
    if (entry.append || batch.some(({ path }) => path === entry.path)) {
      await writeBatch(host, batch);
      batch = [];
    }
    if (entry.append) await append(host, entry, interrupted);
    else batch.push(entry);
  }
  await writeBatch(host, batch);
}

async function writeBatch(host: Host, entries: FileEntry[]): Promise<void> {
  await host.files.writeAll(
    entries.map(({ path, content, mode, owner }) => ({
      path,
      content: content.reveal(),
      options: { mode, owner, ownsParents: true },
    })),
  );
}

/** Appending is not idempotent, so a repeated step does not append what is already there. */
async function append(
  host: Host,
  { path, content, mode, owner }: FileEntry,
  interrupted: boolean,
): Promise<void> {
  const addition = Buffer.from(content.reveal());
  const present = (await host.files.readIfPresent(path)) ?? Buffer.alloc(0);
  if (interrupted && present.subarray(-addition.length).equals(addition)) return;
  await host.files.write(path, Buffer.concat([present, addition]), {
    mode,
    owner,
    ownsParents: true,
  });
}
