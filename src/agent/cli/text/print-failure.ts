import { placeText } from '../../../kit/position.ts';
import { visible } from '../../../kit/terminal/visible.ts';
import { codes } from '../../../protocol/codes/codes.ts';
import type { Failure } from '../../../protocol/journal.ts';
import { redact } from '../../../secrets/redact.ts';
import { presentableTexts } from '../../../secrets/redact-texts.ts';
import type { Diagnostic } from '../../document/document.ts';

/** Prints a failure for people on standard error; lines that the cause repeats are left out. */
export function printFailure(failure: Failure): void {
  const { code, cause, remedy, lines = [] } = presentableTexts(failure);
  const shown = lines
    .filter((line) => !cause.includes(line.replace(/[.]$/, '')))
    .map((line) => `\n    ${line}`)
    .join('');
  process.stderr.write(`slipway: ${cause} [${code}]${shown}\n  ${remedy}\n`);
}

/** Prints what is wrong with user data, or worth a word, on standard error; below the first error of a code what to do. */
export function printDiagnostics(report: readonly Diagnostic[]): void {
  const told = new Set<string>();
  for (const { severity, code, message, where } of report) {
    const place = where === undefined ? 'user data' : placeText(where);
    process.stderr.write(`slipway: ${visible(redact(`${severity}: ${place}: ${message} [${code}]`))}\n`);
    if (severity !== 'error' || told.has(code)) continue;
    told.add(code);
    process.stderr.write(`  ${codes()[code].fix}\n`);
  }
}
