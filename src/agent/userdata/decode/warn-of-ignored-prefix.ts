import type { Position } from '../../document/document.ts';
import type { Diagnostics } from '../../text/diagnostics.ts';

/** What is read here all the same, and makes cloud-init pass over everything: the first bytes of user data, as latin1. */
const PASSED_OVER: readonly (readonly [RegExp, string])[] = [
  [/^\xef\xbb\xbf/, 'begins with a byte order mark'],
  [/^\s+## template:/i, 'has something before "## template: jinja"'],
  [/^## template:[^\n]*\r(?!\n)/i, 'has a line of its template that ends without a line feed'],
];

/** cloud-init finds the kind of a script past its blanks, and writes it with them: the kernel then sees no interpreter. */
export function warnOfBlanks(
  type: string,
  text: string,
  name: string,
  diagnostics: Diagnostics,
  where: Position,
): void {
  if (type !== 'text/x-shellscript' || !/^\s+#!/.test(text)) return;
  const message = `${name} has blanks before #!: cloud-init does not run this script; #! must be its first two characters.`;
  diagnostics.warn('UserDataInvalid', message, where);
}

/** The same bytes do nothing on a machine whose user data cloud-init or Ignition reads. */
export function warnOfIgnoredPrefix(head: string, name: string, diagnostics: Diagnostics): void {
  const [, what] = PASSED_OVER.find(([beginning]) => beginning.test(head)) ?? [];
  if (what === undefined) return;
  const message = `${name} ${what}: cloud-init acts upon nothing of it.`;
  diagnostics.warn('UserDataInvalid', message, { line: 1, column: 1 });
}
