import { visible } from '../../../kit/terminal/visible.ts';
import type { LintFinding } from '../../check/lint-document.ts';

/** What was found in one file. */
export interface CheckedFile {
  file: string;
  findings: readonly LintFinding[];
}

/** A line for each finding, as compilers write them, with the remedy below the first one of its kind. */
export function checkedAsText(checked: readonly CheckedFile[]): string {
  const told = new Set<string>();
  const lines = checked.flatMap(({ file, findings }) =>
    findings.flatMap(({ rule, severity, message, remedy, where }) => {
      const place =
        where === undefined
          ? file
          : `${file}${where.within === undefined ? '' : ` (${where.within})`}:${where.line}:${where.column}`;
      const line = visible(`${place}: ${severity}: ${message} [${rule}]`);
      if (told.has(rule)) return [line];
      told.add(rule);
      return [line, `  ${remedy}`];
    }),
  );
  return lines.map((line) => `${line}\n`).join('');
}

export function checkedAsJson(checked: readonly CheckedFile[]): string {
  return `${JSON.stringify({ files: checked }, undefined, 2)}\n`;
}
