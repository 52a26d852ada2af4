import type { Failure } from '../../../protocol/journal.ts';

/** Prints a failure for people on standard error; lines that the cause repeats are left out. */
export function complain({ code, cause, remedy, lines = [] }: Failure): void {
  const shown = lines
    .filter((line) => !cause.includes(line.replace(/[.]$/, '')))
    .map((line) => `\n    ${line}`)
    .join('');
  process.stderr.write(`slipway: ${cause} [${code}]${shown}\n  ${remedy}\n`);
}
