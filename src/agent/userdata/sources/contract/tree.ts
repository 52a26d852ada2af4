import type { Files } from '../../../host/files.ts';
import { HostError } from '../../../host/host.ts';
import { MAX_RAW_BYTES } from '../../../text/limits.ts';

/** Files in a directory, on a volume that is not mounted, or behind a web server. Paths have no slash at either end. */
export interface Tree {
  /** For people: `/var/lib/cloud/seed/nocloud`, `/dev/sr0`, `http://169.254.169.254`. */
  readonly place: string;
  /** Undefined if the file is missing. @throws HostError if it is too large or unreadable */
  read(path: string): Promise<Buffer | undefined>;
  /** Names in a directory; empty if it is missing. */
  list(path: string): Promise<string[]>;
}

export function directoryTree(files: Files, place: string): Tree {
  const base = place.replace(/\/+$/, '');
  const at = (path: string) => (path === '' ? base : `${base}/${path}`);
  return {
    place,
    read: async (path) => present(() => files.readIfPresent(at(path), MAX_RAW_BYTES)),
    list: async (path) => (await present(() => files.list(at(path)))) ?? [],
  };
}

async function present<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof HostError && (error.errno === 'ENOTDIR' || error.errno === 'ENOENT'))
      return undefined;
    throw error;
  }
}
