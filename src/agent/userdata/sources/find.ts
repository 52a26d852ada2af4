import type { Files, Host } from '../../host/host.ts';
import type { SourceAnswer } from './answer.ts';
import { readExplicitFiles } from './explicit-file.ts';
import { findNoCloud } from './nocloud.ts';

export interface FindOptions {
  /** Take the user data from this file and look nowhere else. */
  userDataFile?: string;
  /** Meta-data for `userDataFile`. */
  metaDataFile?: string;
  /** Where the two files lie; by default on the host. */
  files?: Files;
}

/**
 * Finds the user data of this machine: the file named, else the first source that claims the machine. Opens no network
 * connection. Throws `HostError` for a source that is there but cannot be read.
 */
export async function findUserData(host: Host, options: FindOptions = {}): Promise<SourceAnswer> {
  if (options.userDataFile !== undefined) {
    return readExplicitFiles(host, options.files ?? host.files, options.userDataFile, options.metaDataFile);
  }
  return findNoCloud(host);
}
