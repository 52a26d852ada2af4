/** Where something stands in user data, and what is to be said of it. */
import type { Code } from '../../protocol/codes/codes.ts';

/** Place in the user data; both count from 1. */
export interface Position {
  line: number;
  column: number;
  /** The text that the user data has from elsewhere, in which they count: the address of a config that they include. */
  within?: string;
}

export interface Diagnostic {
  severity: 'error' | 'warning';
  code: Code;
  message: string;
  where?: Position;
}
/** A place in a file of the user data as a place in these; the file's own where its lines do not stand there. */
export function placeInFile(
  { where, textAt }: { where?: Position | undefined; textAt?: Position | undefined },
  line: number,
  column = 1,
): Position | undefined {
  if (textAt === undefined) return where;
  return { ...textAt, line: textAt.line + line - 1, column: textAt.column + column - 1 };
}
