import type { Files } from '../../host/files.ts';
import type { Host } from '../../host/host.ts';
import { readOsFacts } from '../../platform/instance/read-os-facts.ts';
import { MAX_RAW_BYTES } from '../../text/limits.ts';
import { networkConfigOfFile } from '../instance/public-keys.ts';
import { found, type SourceAnswer } from './contract/answer.ts';
import { readMetaData } from './contract/meta-data.ts';
import { openStackNames } from './openstack/read-openstack.ts';
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

/**
 * Reads user data, and optionally metadata, from files that the command line names. `files` is the file
 * system of whoever typed the paths, even if the agent acts below `--root`.
 *
 * @throws HostError if a file is missing, unreadable or too large
 */
async function readExplicitFiles(
  host: Host,
  files: Files,
  userDataFile: string,
  metaDataFile: string | undefined,
  networkFile?: string,
): Promise<SourceAnswer> {
  const userData = await files.read(userDataFile, MAX_RAW_BYTES);
  const meta =
    metaDataFile === undefined
      ? undefined
      : readMetaData(await files.read(metaDataFile, MAX_RAW_BYTES), metaDataFile);
  const network = networkFile === undefined ? undefined : await files.read(networkFile, MAX_RAW_BYTES);
  return found({
    source: 'file',
    userData,
    metaData: named(meta?.values ?? {}),
    system: await readOsFacts(host),
    ...(network === undefined || networkFile === undefined
      ? {}
      : { networkConfig: networkConfigOfFile(network.toString('utf8'), networkFile) }),
    ...(meta === undefined || meta.remarks.length === 0 ? {} : { remarks: meta.remarks }),
  });
}

/** OpenStack's meta_data.json calls the instance by its uuid. */
function named(values: Record<string, unknown>): Record<string, unknown> {
  return typeof values.uuid === 'string' && values['instance-id'] === undefined
    ? openStackNames(values)
    : values;
}
