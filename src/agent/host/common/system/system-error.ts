import { errorMessage } from '../../../../kit/errors.ts';
import { HostError } from '../../host.ts';

const WORDS: Record<string, string> = {
  ENOENT: 'no such file or directory',
  ENOSPC: 'no space left on device',
  EDQUOT: 'disk quota exceeded',
  EROFS: 'read-only file system',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EISDIR: 'is a directory',
  ENOEXEC: 'not a program for this machine',
  ENOTDIR: 'a part of the path is not a directory',
  ELOOP: 'too many symbolic links',
  ENAMETOOLONG: 'the name is too long',
  EEXIST: 'something else is there already',
  EIO: 'input/output error',
  EBUSY: 'the file is in use as a mount point',
  EMFILE: 'too many open files',
};

/** Tells whether it is a system error with one of these names, e.g. `ENOENT`. */
export function isErrno(error: unknown, ...names: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && names.includes(String(error.code));
}

/** Turns Node's system error into a HostError that names the machine's path, in words for people. */
export function toHostError(error: unknown, doing: string, path: string): HostError {
  if (error instanceof HostError) return error;
  const errno = error instanceof Error && 'code' in error ? String(error.code) : 'EUNKNOWN';
  const detail = WORDS[errno] ?? errorMessage(error);
  return new HostError(`${doing} ${path}: ${detail}`, errno, path);
}
