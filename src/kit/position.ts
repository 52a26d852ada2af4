/** A place in a text, in words; both count from 1. */
export function positionText({ line, column }: { line: number; column: number }): string {
  return `line ${line}, column ${column}`;
}

/** The same, with the text in which they count: the user data, or another that these have from elsewhere. */
export function placeText(where: { line: number; column: number; within?: string }): string {
  return `${where.within ?? 'user data'} ${positionText(where)}`;
}
