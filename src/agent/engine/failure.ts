import { ExpectedError } from '../../kit/errors.ts';
import { type Code, codes } from '../../protocol/codes/codes.ts';
import { inPlatformWords } from '../../protocol/codes/on-windows.ts';
import type { Failure } from '../../protocol/journal.ts';
import { HostError } from '../host/host.ts';
import type { StepResult } from './step.ts';

/** An error that knows its code. Its message is the cause. */
export class CodedError extends ExpectedError {
  override readonly name = 'CodedError';
  readonly failureCode: Code;

  constructor(code: Code, cause: string) {
    super(cause);
    this.failureCode = code;
  }
}

/** A failure with the table's remedy, unless a better one is known. */
export function failure(
  code: Code,
  cause: string,
  more: Partial<Omit<Failure, 'code' | 'cause'>> = {},
): Failure {
  const { remedy = codes()[code].fix, ...rest } = more;
  return { code, cause: sentence(cause), remedy: inPlatformWords(remedy), ...rest };
}

/** The step result for a code, retried as its table entry says. */
export function failed(
  code: Code,
  cause: string,
  more: Partial<Omit<Failure, 'code' | 'cause'>> = {},
): StepResult {
  const retry = ({ permanent: 'no', transient: 'yes', 'until-deadline': 'until-deadline' } as const)[
    codes()[code].persistence
  ];
  return { done: false, failure: failure(code, cause, more), retry };
}

/** Which code an error of the machine has; `fallback` where the error itself does not tell. */
export function codeOf(error: unknown, fallback: Code): Code {
  if (error instanceof CodedError) return error.failureCode;
  const errno = errnoOf(error);
  if (errno === undefined) return 'InternalError';
  if (errno === 'ENOSPC' || errno === 'EDQUOT') return 'DiskFull';
  if (errno === 'EROFS') return 'FileSystemReadOnly';
  return fallback;
}

/**
 * The kernel's name of what went wrong, of an error that the machine made; undefined for a fault of our own.
 */
function errnoOf(error: unknown): string | undefined {
  if (error instanceof HostError) return error.errno;
  if (error instanceof Error && 'syscall' in error && 'code' in error) return String(error.code);
  return undefined;
}

function sentence(text: string): string {
  const trimmed = text.trim();
  // An address stays as it is.
  const capital = /^[a-z]+(?: |:(?!\/\/))/.test(trimmed)
    ? trimmed.charAt(0).toUpperCase() + trimmed.slice(1)
    : trimmed;
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}
