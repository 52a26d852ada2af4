import { CODES } from '../../protocol/codes/codes.ts';
import { explain, isCode } from './text/explain.ts';

/** `slipway explain [CODE]`. */
export function explainCommand(code: string | undefined): number {
  const text = code === undefined ? allCodes() : explain(code);
  process.stdout.write(`${text.trimEnd()}\n`);
  return code === undefined || isCode(code) ? 0 : 2;
}

function allCodes(): string {
  return Object.entries(CODES)
    .map(([code, { category, cause }]) => `${code.padEnd(30)} ${category.padEnd(14)} ${cause}`)
    .join('\n');
}
