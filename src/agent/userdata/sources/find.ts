import type { Files } from '../../host/files.ts';
import type { Host } from '../../host/host.ts';
import type { SourceAnswer } from './contract/answer.ts';
import { readExplicitFiles } from './explicit-file.ts';
import type { SearchOptions } from './search.ts';

interface FindOptions extends SearchOptions {
  /** Take the user data from this file and from nowhere else. */
  userDataFile?: string;
  /** Metadata for `userDataFile`. */
  metaDataFile?: string;
  /** A network configuration that belongs to it. */
  networkFile?: string;
  /** The file system of the two files; default: the host's. */
  files?: Files;
}

/**
 * Finds this machine's user data: the named file, else the first source that claims the machine. It connects only where
 * the machine or its configuration says that its user data is.
 *
 * @throws HostError if a source is there but unreadable
 */
export async function findUserData(host: Host, options: FindOptions = {}): Promise<SourceAnswer> {
  if (options.userDataFile !== undefined) {
    const { files = host.files, userDataFile, metaDataFile, networkFile } = options;
    return readExplicitFiles(host, files, userDataFile, metaDataFile, networkFile);
  }
  const { search } = await import('./search.ts');
  return search(host, options);
}
