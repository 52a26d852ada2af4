import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isErrno } from '../../common/system/system-error.ts';

/**
 * Are the inodes of the file system used up that holds `path` or is to hold it? Linux says "no space" then too. File
 * systems without a fixed number of inodes tell none at all.
 */
function inodesUsedUp(path: string): boolean {
  let present = path;
  while (statSync(present, { throwIfNoEntry: false }) === undefined && present !== '/')
    present = dirname(present);
  const { files, ffree } = statfsSync(present);
  return files > 0 && ffree === 0;
}

const LACKING = new WeakSet<Error>();

/**
 * Remembers whether it was for inodes that a file at `path` was not made. Ask before what was made with it is removed: that
 * sets some free.
 */
export function recordInodeExhaustion(error: unknown, path: string): void {
  if (isErrno(error, 'ENOSPC') && inodesUsedUp(path)) LACKING.add(error as Error);
}

/** Were inodes used up when this error came up, or are they now? */
export function ranOutOfInodes(error: unknown, path: string): boolean {
  return isErrno(error, 'ENOSPC') && (LACKING.has(error as Error) || inodesUsedUp(path));
}
