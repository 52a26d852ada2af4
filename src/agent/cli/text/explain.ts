/** `slipway explain CODE`: the table's entry for a code, as text or JSON. */

import { editDistance } from '../../../kit/edit-distance.ts';
import { wrap } from '../../../kit/terminal/columns.ts';
import { visible } from '../../../kit/terminal/visible.ts';
import { codes } from '../../../protocol/codes/codes.ts';
import type { CodeEntry, Curer } from '../../../protocol/codes/entry.ts';

const PERSISTENCE: Record<CodeEntry['persistence'], string> = {
  transient: 'Yes: it may go away without a change.',
  permanent: 'No: it does not go away without a change, so Slipway stops at once.',
  'until-deadline': 'Yes, until the deadline: whether it goes away without a change is not known.',
};

const CURER: Record<Curer, string> = {
  'this-machine': 'This machine, after a retry, a reboot or a repair.',
  'another-machine': 'Another machine from the same template.',
  template: 'A change to the user data, the machine template or the image.',
  cluster: 'The operator of the workload or management cluster.',
  cloud: 'The infrastructure: metadata service, network, disks or hardware.',
};

const LABEL = 16;
const COLUMNS = 100;

const table = (): Record<string, CodeEntry> => codes();

/** Is there such a code? Letter case does not matter. */
export function isCode(code: string): boolean {
  return find(code) !== undefined;
}

/**
 * Text for people, without a final line break; for an unknown code the nearest names. Never throws.
 *
 * @param columns of the terminal; lines are at most 100 wide even in a wider one
 */
export function explain(code: string, columns = COLUMNS): string {
  const name = find(code);
  const row = name === undefined ? undefined : table()[name];
  if (name === undefined || row === undefined) return unknownCode(code);
  const part = (label: string, text: string): string[] =>
    wrap(text, Math.max(20, Math.min(columns, COLUMNS) - LABEL - 2)).map(
      (line, at) => `  ${(at === 0 ? label : '').padEnd(LABEL)}${line}`,
    );
  return [
    `${name} (${row.category})`,
    '',
    ...part('Meaning', row.meaning),
    ...part('Impact', row.impact),
    ...part('How to fix it', row.fix),
    ...part('How to check', row.check),
    ...part('Who cures it', `${CURER[row.cure.who]} ${row.cure.why}`),
    ...(row.onlyFinding
      ? part('In a bootstrap', 'It is only a finding, never the reason for a failure: Slipway continues.')
      : part('Retried', PERSISTENCE[row.persistence])),
  ].join('\n');
}

/** The same for programs: one code, or a list of all. `cause` and `remedy` are named as in outcome.json. */
export function explainAsJson(code: string | undefined): string {
  const rows = Object.entries(table()).map(([name, { meaning, fix, ...row }]) => ({
    code: name,
    cause: meaning,
    remedy: fix,
    ...row,
  }));
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
