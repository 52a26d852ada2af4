import type { Failure } from '../../protocol/journal.ts';

/** Prints a failure for people on standard error. */
export function complain({ code, cause, remedy, lines = [] }: Failure): void {
  const shown = lines.map((line) => `\n    ${line}`).join('');
  process.stderr.write(`slipway: ${cause} [${code}]${shown}\n  ${remedy}\n`);
}
