/** Writes docs/codes.md from the table of codes; `npm run node -- build/docs/codes.ts`. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { codes } from '../../src/protocol/codes/codes.ts';
import type { CodeEntry } from '../../src/protocol/codes/entry.ts';
import { onWindows } from '../../src/protocol/codes/on-windows.ts';

export const DOCUMENT = fileURLToPath(new URL('../../docs/codes.md', import.meta.url));

const MEANING: Record<CodeEntry['persistence'], string> = {
  transient: 'tried again',
  permanent: 'not tried again',
  'until-deadline': 'tried again until the deadline',
};

/** The page: one section for each category, one heading for each code, so that every code has a link anchor. */
export function codesPage(table: Record<string, CodeEntry> = codes()): string {
  const categories = [...new Set(Object.values(table).map(({ category }) => category))];
  const lines = [
    '# Codes',
    '',
    'Every failure that Slipway reports has one of these codes. They are stable: alerts may rest on them.',
    'On a machine, `slipway explain CODE` tells the same.',
    '',
    'This page is made from `src/protocol/codes/codes.ts` by `npm run node -- build/docs/codes.ts`; do not edit it.',
  ];
  for (const category of categories) {
    lines.push('', `## ${category.charAt(0).toUpperCase()}${category.slice(1)}`);
    for (const [code, row] of Object.entries(table)) {
      if (row.category !== category) continue;
      lines.push(
        '',
        `### ${code}`,
        '',
        row.cause,
        '',
        `- What to do: ${row.remedy}`,
        ...(onWindows(row.remedy) === row.remedy ? [] : [`- On Windows: ${onWindows(row.remedy)}`]),
        `- Slipway: ${row.onlyFinding ? 'goes on; it is only a finding' : MEANING[row.persistence]}.`,
      );
    }
  }
  return `${lines.join('\n')}\n`;
}

if (import.meta.main) writeFileSync(DOCUMENT, codesPage());
