import { omitUndefined } from '../../../../kit/json.ts';
import { type MetaData, readMetaData } from '../contract/meta-data.ts';
import type { Tree } from '../contract/tree.ts';

/** The files of a NoCloud seed. */
export interface Seed {
  userData: Buffer;
  metaData: MetaData;
  vendorData?: Buffer;
  networkConfig?: Buffer;
}

/** A seed's file by its name, e.g. `user-data`; undefined if it is missing. A seed without what is optional is one. */
type ReadSeedFile = (name: string, isOptional?: boolean) => Promise<Buffer | undefined>;

/**
 * Reads a NoCloud seed. It has both `user-data` and `meta-data` (either may be empty), and possibly `vendor-data` and
 * `network-config`.
 *
 * @returns undefined if there is no seed
 */
export async function readSeed(place: string, read: ReadSeedFile): Promise<Seed | undefined> {
  const userData = await read('user-data');
  const metaData = userData && (await read('meta-data'));
  if (userData === undefined || metaData === undefined) return undefined;
  const vendorData = await read('vendor-data', true);
  const networkConfig = await read('network-config', true);
  return {
    userData,
    metaData: readMetaData(metaData, `${place.replace(/\/$/, '')}/meta-data`),
    ...omitUndefined({ vendorData, networkConfig }),
  };
}

export function readSeedTree(tree: Tree): Promise<Seed | undefined> {
  return readSeed(tree.place, (name) => tree.read(name));
}
