/** Writes docs/codes.md from the table of codes; `npm run node -- build/docs/codes.ts`. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { wrap } from '../../src/kit/terminal/columns.ts';
import { codes } from '../../src/protocol/codes/codes.ts';
import type { CodeEntry, Curer } from '../../src/protocol/codes/entry.ts';
import { onWindows } from '../../src/protocol/codes/on-windows.ts';

export const DOCUMENT = fileURLToPath(new URL('../../docs/codes.md', import.meta.url));

const RETRY: Record<CodeEntry['persistence'], string> = {
  transient: 'retried',
  permanent: 'not retried',
  'until-deadline': 'retried until the deadline',
};

const CURER: Record<Curer, string> = {
  'this-machine': 'this machine',
  'another-machine': 'another machine',
  template: 'the template',
  cluster: 'the cluster operator',
  cloud: 'the cloud',
};

const COLUMNS = 120;

const INTRODUCTION = [
  'Use this page to look up a code that Slipway reports: what it means, what happens because of it, how to fix it, and how to check that it is fixed. On a machine, `slipway explain CODE` prints the same. Codes are stable, so alerts can use them.',
  '*Cured by* says who can cure a failure: *this machine*, after a retry, a reboot or a repair; *another machine*, a replacement from the same template; *the template*, that is, user data, machine template or image, which makes each machine of the group fail likewise; *the cluster operator*, of the workload or management cluster; or *the cloud*, the infrastructure.',
  'This page is made from `src/protocol/codes` by `npm run node -- build/docs/codes.ts`; do not edit it.',
];

/** The page: an index, then a section for each category and a heading for each code, so that each code has a link anchor. */
export function codesPage(table: Record<string, CodeEntry> = codes()): string {
  const rows = Object.entries(table);
  const categories = [...new Set(rows.map(([, { category }]) => category))].map((category) => ({
    title: `${category.charAt(0).toUpperCase()}${category.slice(1)}`,
    rows: rows.filter(([, row]) => row.category === category),
  }));
  const lines = ['# Codes', ...INTRODUCTION.flatMap((text) => ['', ...wrap(text, COLUMNS)]), '', '## Index'];
  for (const { title, rows } of categories)
    lines.push('', `${title}:`, '', '| Code | Slipway | Cured by |', '|---|---|---|', ...rows.map(indexRow));
  for (const { title, rows } of categories)
    lines.push('', `## ${title}`, ...rows.flatMap(([code, row]) => section(code, row)));
  return `${lines.join('\n')}\n`;
}

const retry = (row: CodeEntry): string => (row.onlyFinding ? 'continues (finding)' : RETRY[row.persistence]);

const indexRow = ([code, row]: [string, CodeEntry]): string =>
  `| [${code}](#${code.toLowerCase()}) | ${retry(row)} | ${CURER[row.cure.who]} |`;

function section(code: string, row: CodeEntry): string[] {
  const parts = [
    `**Meaning:** ${row.meaning}`,
    `**Impact:** ${row.impact}`,
    `**How to fix it:** ${row.fix}`,
    ...windows('fix', row.fix),
    `**How to check that it is fixed:** ${row.check}`,
    ...windows('check', row.check),
    `**Cured by ${CURER[row.cure.who]}:** ${row.cure.why} (Slipway: ${retry(row)}.)`,
  ];
  return ['', `### ${code}`, '', ...parts.flatMap(item)];
}

const windows = (what: string, text: string): string[] =>
  onWindows(text) === text ? [] : [`**On Windows, to ${what} it:** ${onWindows(text)}`];

/** A list item, wrapped. A continuation line never starts with a list marker, because the table has no lone dashes. */
const item = (text: string): string[] =>
  wrap(text, COLUMNS - 2).map((line, at) => `${at === 0 ? '- ' : '  '}${line}`);

if (import.meta.main) writeFileSync(DOCUMENT, codesPage());
