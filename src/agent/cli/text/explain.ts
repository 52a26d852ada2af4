/** `slipway explain CODE`: what a code means and what to do about it, from the table of codes. */

import { editDistance } from '../../../kit/edit-distance.ts';
import { visible } from '../../../kit/terminal/visible.ts';
import { codes } from '../../../protocol/codes/codes.ts';
import type { CodeEntry } from '../../../protocol/codes/entry.ts';

const PERSISTENCE: Record<CodeEntry['persistence'], string> = {
  transient: 'It may pass by itself: Slipway tries again.',
  permanent: 'It does not pass by itself: Slipway stops at once.',
  'until-deadline': 'Nobody can tell whether it passes by itself: Slipway tries again until the deadline.',
};

const table = (): Record<string, CodeEntry> => codes();

/** Is there such a code? Letter case does not matter. */
export function isCode(code: string): boolean {
  return find(code) !== undefined;
}

/** Text for people, without a final line break; for an unknown code the nearest names. Never throws. */
export function explain(code: string): string {
  const name = find(code);
  const row = name === undefined ? undefined : table()[name];
  if (name === undefined || row === undefined) return unknownCode(code);
  return [
    `${name} (${row.category})`,
    '',
    `  What it means   ${row.cause}`,
    `  What to do      ${row.remedy}`,
    row.onlyFinding
      ? '  In a bootstrap  It is a finding beside the verdict, never the reason of a failure: Slipway goes on.'
      : `  Tried again     ${PERSISTENCE[row.persistence]}`,
  ].join('\n');
}

/** The same for programs: one code, or a list of all. */
export function explainAsJson(code: string | undefined): string {
  const rows = Object.entries(table()).map(([name, row]) => ({ code: name, ...row }));
  const name = code === undefined ? undefined : find(code);
  return JSON.stringify(code === undefined ? rows : rows.find((row) => row.code === name), undefined, 2);
}

/** How to read more of a code on any machine that has Slipway, without a network. */
export const explainCall = (code: string): string => `slipway explain ${code}`;

function find(code: string): string | undefined {
  const wanted = code.toLowerCase();
  return Object.keys(table()).find((name) => name.toLowerCase() === wanted);
}

/** What to say of a word that is no code: the nearest ones. */
export function unknownCode(code: string): string {
  const plain = visible(code);
  const shown = plain.length > 60 ? `${plain.slice(0, 60)}…` : plain;
  const near = nearest(code.slice(0, 60), 3);
  const hint = near.length === 0 ? '' : ` Did you mean ${near.join(', ')}?`;
  return `There is no code "${shown}".${hint} All codes: slipway explain`;
}

function nearest(code: string, count: number): string[] {
  const wanted = code.toLowerCase();
  const limit = Math.max(3, Math.ceil(wanted.length / 3));
  return Object.keys(table())
    .map((name) => {
      const candidate = name.toLowerCase();
      const part = wanted.length >= 4 && (candidate.includes(wanted) || wanted.includes(candidate));
      return { name, distance: part ? 0 : editDistance(wanted, candidate) };
    })
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance || a.name.localeCompare(b.name))
    .slice(0, count)
    .map(({ name }) => name);
}
