import { HostError } from '../../../host/host.ts';
import type { PlatformInfo } from '../../../platform/platform-info.ts';
import type { Tree } from '../contract/tree.ts';
import { readVolume } from './read-volume.ts';
import { labelled, type ScannedVolume } from './scan.ts';

/** Reads what a source looks for among a volume's files; undefined if it is not there. */
type ReadTree<T> = (tree: Tree) => Promise<T | undefined>;

/**
 * Looks for something on the volumes with one of these labels.
 *
 * @throws HostError if such a volume is there but cannot be read. To report "no user data" instead would mislead whoever
 * looks for the cause.
 */
export async function readLabelledVolume<T>(
  machine: PlatformInfo,
  labels: readonly string[],
  read: ReadTree<T>,
): Promise<{ device: string; found: T } | undefined> {
  return readFirst(machine, await labelled(machine, labels), read);
}

/** The same for given volumes. */
export async function readFirst<T>(
  { host }: PlatformInfo,
  volumes: readonly ScannedVolume[],
  read: ReadTree<T>,
): Promise<{ device: string; found: T } | undefined> {
  let failure: HostError | undefined;
  for (const { device } of volumes) {
    try {
      const found = await readVolume(host, device, read);
      if (found !== undefined) return { device, found };
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  return undefined;
}
