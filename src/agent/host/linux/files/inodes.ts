import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Are the inodes of the file system used up that holds `path` or is to hold it? Linux says "no space" then too. File
 * systems without a fixed number of inodes tell none at all.
 */
export function inodesUsedUp(path: string): boolean {
  let present = path;
  while (statSync(present, { throwIfNoEntry: false }) === undefined && present !== '/')
    present = dirname(present);
  const { files, ffree } = statfsSync(present);
  return files > 0 && ffree === 0;
}
