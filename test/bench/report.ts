import { megabytes } from '../../build/sizes.ts';
import { met, type RowResult, type Verdict } from './row.ts';

/** What became of one row: its figures, or the sentence why there are none. */
export type Entry = { readonly name: string } & (
  | { readonly result: RowResult }
  | { readonly missing: string }
);

/** The table for people. */
export function asText(entries: readonly Entry[]): string {
  return entries
    .map((entry) => `${entry.name}: ${'missing' in entry ? entry.missing : rowText(entry.result)}`)
    .join('\n\n');
}

/** The same for programs; sizes in bytes, times in milliseconds, memory in MiB. */
export function asJson(entries: readonly Entry[], about: Record<string, unknown>): string {
  const rows = entries.map((entry) =>
    'missing' in entry
      ? entry
      : {
          name: entry.name,
          ...entry.result,
          verdicts: entry.result.verdicts.map((verdict) => ({ ...verdict, met: met(verdict) })),
        },
  );
  return JSON.stringify({ ...about, rows }, undefined, 2);
}

function rowText({ about, runs, standings, verdicts, table: cells = [], notes }: RowResult): string {
  const lines = [runs > 1 ? `${about} (medians of ${runs} interleaved runs)` : about];
  if (standings.length > 0) {
    lines.push(
      ...table([
        ['', 'wall', 'CPU', 'peak memory'],
        ...standings.map(({ label, wallMs, cpuMs, peakMib }) => [
          label,
          `${wallMs.toFixed(1)} ms`,
          `${cpuMs.toFixed(1)} ms`,
          `${peakMib.toFixed(1)} MiB`,
        ]),
      ]),
    );
  }
  if (cells.length > 0) lines.push(...table(cells));
  lines.push(
    ...table(
      verdicts.map((verdict) => [
        verdict.what,
        amount(verdict, verdict.value),
        goalText(verdict),
        met(verdict) ? 'met' : 'MISSED',
      ]),
    ),
    ...notes.map((note) => `  ${note}`),
  );
  return lines.join('\n');
}

function goalText(verdict: Verdict): string {
  return `goal ${verdict.direction === 'most' ? '<=' : '>='} ${amount(verdict, verdict.goal)}`;
}

function amount({ unit }: Verdict, value: number): string {
  if (unit === 'bytes') return value < 1_000_000 ? `${(value / 1000).toFixed(1)} kB` : megabytes(value);
  if (unit === 'ms') return `${value.toFixed(0)} ms`;
  return unit === 'count' ? value.toFixed(2).replace(/\.00$/, '') : `${value.toFixed(2)} x`;
}

/** First column to the left, the others to the right. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    `  ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  ')}`.trimEnd(),
  );
}
