import { getSystemErrorMessage } from 'node:util';

/**
 * What a caller is meant to expect: the machine, a server or a person's input is as it is, and the message says so to
 * people. Errors without this brand are faults of the program itself.
 */
export class ExpectedError extends Error {
  get expected(): true {
    return true;
  }
}

/**
 * What the system or OpenSSL says of a call counts as expected too, such as a full disk or a file that is no certificate;
 * a TypeError of Node.js, which has a code as well, does not.
 */
export function isExpected(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  if ('expected' in error && error.expected === true) return true;
  return 'code' in error && !(error instanceof TypeError || error instanceof RangeError);
}

/** The error in one line, for the end of a program: a message, or the program's own fault named as such. */
export function fatalMessage(error: unknown): string {
  if (isExpected(error)) return error.message;
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return `internal error, please report it: ${what}`;
}

/** What keeps a program from printing: a full disk, a quota, a disk that is broken or a terminal that has gone, a limit. */
const UNPRINTED = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EFBIG']);

/** Says why the standard output or error takes no more, if that is the error that nobody caught; undefined for all others. */
export function brokenOutputMessage(error: unknown): string | undefined {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error && 'errno' in error))
    return undefined;
  const { syscall, code, errno } = error;
  // A file has a path, and is never left to this.
  if (syscall !== 'write' || 'path' in error || !UNPRINTED.has(String(code))) return undefined;
  return `cannot print: ${getSystemErrorMessage(Number(errno))}`;
}

/** What was thrown, in its own words; anything can be thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A command line that cannot be used; its message is for the person who typed it. */
export class UsageError extends ExpectedError {
  override readonly name = 'UsageError';
  /** The exit status. */
  readonly status: number;

  constructor(message: string, status = 2) {
    super(message);
    this.status = status;
  }
}
