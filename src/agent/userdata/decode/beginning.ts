import type { Report } from '../../text/report.ts';

/** What is read here all the same, and makes cloud-init pass over everything: the first bytes of user data, as latin1. */
const PASSED_OVER: readonly (readonly [RegExp, string])[] = [
  [/^\xef\xbb\xbf/, 'begins with a byte order mark'],
  [/^\s+## template:/i, 'has something before "## template: jinja"'],
  [/^## template:[^\n]*\r(?!\n)/i, 'has a line of its template that ends without a line feed'],
];

/** The same bytes do nothing on a machine whose user data cloud-init or Ignition reads. */
export function warnOfBeginning(head: string, name: string, report: Report): void {
  const [, what] = PASSED_OVER.find(([beginning]) => beginning.test(head)) ?? [];
  if (what === undefined) return;
  const message = `${name} ${what}: cloud-init acts upon nothing of it.`;
  report.warn('UserDataInvalid', message, { line: 1, column: 1 });
}
