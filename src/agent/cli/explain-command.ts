import { codes } from '../../protocol/codes/codes.ts';
import { formatOption, withUsageErrors } from './options/options.ts';
import { explain, explainAsJson, isCode, unknownCode } from './text/explain.ts';

/** `slipway explain [CODE]`: 0 with what it means, 2 where there is no such code. */
export function explainCommand(code: string | undefined, { output }: { output: string }): Promise<number> {
  return withUsageErrors(async () => {
    const format = formatOption(output);
    if (code !== undefined && !isCode(code)) {
      process.stderr.write(`slipway: ${unknownCode(code)}\n`);
      return 2;
    }
    const text =
      format === 'json'
        ? explainAsJson(code)
        : code === undefined
          ? allCodes()
          : explain(code, process.stdout.columns);
    process.stdout.write(`${text.trimEnd()}\n`);
    return 0;
  });
}

function allCodes(): string {
  return Object.entries(codes())
    .map(([code, { category, meaning }]) => `${code.padEnd(30)} ${category.padEnd(14)} ${meaning}`)
    .join('\n');
}
