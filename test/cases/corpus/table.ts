import type { Judged } from './judge.ts';

const VERDICTS = ['fully', 'warn', 'refuse'] as const;
const ORACLE = [...VERDICTS, 'other-format'] as const;

/** Verdicts by class (the folder, and the format), as lines of a table. */
export function table(judged: readonly Judged[]): string[] {
  const classes = Map.groupBy(judged, classOf);
  const head = ['class', 'n', ...VERDICTS, 'oracle f/w/r/other', 'oracle ok, refused'];
  const rows = [...classes, ['all', [...judged]] as const].map(([name, members]) => {
    const ours = VERDICTS.map((verdict) => members.filter((one) => one.verdict === verdict).length);
    const theirs = ORACLE.map((oracle) => members.filter(({ input }) => input.oracle === oracle).length);
    return [name, members.length, ...ours, theirs.join('/'), members.filter(isStricter).length].map(String);
  });
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** Why inputs are refused that the real programs take: the first reason of each, without its names, most frequent first. */
export function reasons(judged: readonly Judged[]): string[] {
  const first = judged.filter(isStricter).map(({ report }) => {
    const message = report.find(({ severity }) => severity === 'error')?.message ?? '';
    return message.replace(/\$[.\w]*\d[.\w]*/g, '$...').replace(/"[^"]*"/g, '"..."');
  });
  const counted = [...Map.groupBy(first, (reason) => reason)].map(([reason, { length }]) => ({
    reason,
    length,
  }));
  return counted.sort((a, b) => b.length - a.length).map(({ reason, length }) => `${length} x ${reason}`);
}

function isStricter({ input, verdict }: Judged): boolean {
  return verdict === 'refuse' && (input.oracle === 'fully' || input.oracle === 'warn');
}

function classOf({ input }: Judged): string {
  const folder = input.name.includes('/') ? (input.name.split('/')[0] ?? '') : 'own';
  return input.name.endsWith('.ign') ? `${folder}, Ignition` : folder;
}
