import { type Files, HostError } from '../../host/host.ts';
import { MAX_RAW_BYTES } from '../../text/limits.ts';
import { type MetaData, readMetaData } from './meta-data.ts';

/** The files of a NoCloud seed. */
export interface Seed {
  userData: Buffer;
  metaData: MetaData;
  vendorData?: Buffer;
}

/**
 * Reads a NoCloud seed below a directory. Both `user-data` and `meta-data` must be there (either may be empty), else it
 * is no seed and undefined is returned; `vendor-data` may be there.
 */
export async function readSeed(files: Files, directory: string): Promise<Seed | undefined> {
  const base = directory.replace(/\/+$/, '');
  const userData = await readPresent(files, `${base}/user-data`);
  const metaData = await readPresent(files, `${base}/meta-data`);
  if (userData === undefined || metaData === undefined) return undefined;
  const vendorData = await readPresent(files, `${base}/vendor-data`);
  return {
    userData,
    metaData: readMetaData(metaData, `${base}/meta-data`),
    ...(vendorData === undefined ? {} : { vendorData }),
  };
}

/** Undefined when there is no such file. Throws `HostError` for a file that is too large or cannot be read. */
async function readPresent(files: Files, path: string): Promise<Buffer | undefined> {
  try {
    return await files.readIfPresent(path, MAX_RAW_BYTES);
  } catch (error) {
    if (error instanceof HostError && (error.errno === 'ENOTDIR' || error.errno === 'ENOENT'))
      return undefined;
    throw error;
  }
}
