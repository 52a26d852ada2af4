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
 * Reads a NoCloud seed from a directory. A seed has both `user-data` and `meta-data` (either may be empty),
 * and possibly `vendor-data`.
 *
 * @returns undefined if the directory holds no seed
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

/** Undefined if the file is missing. @throws HostError if it is too large or unreadable */
async function readPresent(files: Files, path: string): Promise<Buffer | undefined> {
  try {
    return await files.readIfPresent(path, MAX_RAW_BYTES);
  } catch (error) {
    if (error instanceof HostError && (error.errno === 'ENOTDIR' || error.errno === 'ENOENT'))
      return undefined;
    throw error;
  }
}
