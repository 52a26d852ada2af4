import type { Diagnostic, Document } from '../document/document.ts';
import { MAX_PATH_DEPTH, MAX_PATH_NAMES } from './limits.ts';

/**
 * Paths that no machine has: too deep, or too many directories in all. Each directory is looked at and perhaps made, by its whole
 * path; so time grows with the square of the depth.
 */
export function tooManyDirectories({
  files,
  directories = [],
  links = [],
}: Pick<Document, 'files' | 'directories' | 'links'>): Diagnostic | undefined {
  let names = 0;
  for (const { path, where } of [...files, ...directories, ...links]) {
    const depth = depthOf(path);
    names += depth;
    const why =
      depth > MAX_PATH_DEPTH
        ? `A path has ${depth} components; at most ${MAX_PATH_DEPTH} are accepted.`
        : `The paths of files, directories and links have more than ${MAX_PATH_NAMES} components in total.`;
    if (depth > MAX_PATH_DEPTH || names > MAX_PATH_NAMES)
      return { severity: 'error', code: 'UserDataTooLarge', message: why, ...(where ? { where } : {}) };
  }
  return undefined;
}

function depthOf(path: string): number {
  let depth = 0;
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) depth += 1;
  return depth;
}
