import { HostError } from '../../../host/host.ts';
import { openFat } from './fat.ts';
import { openIso9660 } from './iso9660.ts';
import { openUdf } from './udf.ts';
import type { ReadAt, Volume } from './volume.ts';

/**
 * Opens a volume that seeds come on. An optical image may be both, UDF and ISO 9660; the kernel takes UDF then, and so does
 * this.
 *
 * @returns undefined if it is none of them
 * @throws HostError if it is one and damaged
 */
export async function openVolume(read: ReadAt): Promise<Volume | undefined> {
  let failure: HostError | undefined;
  for (const open of [openUdf, openIso9660, openFat]) {
    try {
      const volume = await open(read);
      if (volume !== undefined) return volume;
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  return undefined;
}
