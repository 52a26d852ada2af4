import { clean } from '../../../kit/secrets/clean.ts';
import { visibleTexts } from '../../../kit/terminal/visible.ts';
import type { Failure } from '../../../protocol/journal.ts';

/** Prints a failure for people on standard error; lines that the cause repeats are left out. */
export function complain(failure: Failure): void {
  const { code, cause, remedy, lines = [] } = visibleTexts(clean(failure));
  const shown = lines
    .filter((line) => !cause.includes(line.replace(/[.]$/, '')))
    .map((line) => `\n    ${line}`)
    .join('');
  process.stderr.write(`slipway: ${cause} [${code}]${shown}\n  ${remedy}\n`);
}
