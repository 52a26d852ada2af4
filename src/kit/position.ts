/** A place in a text, in words; both count from 1. */
export function positionText({ line, column }: { line: number; column: number }): string {
  return `line ${line}, column ${column}`;
}
