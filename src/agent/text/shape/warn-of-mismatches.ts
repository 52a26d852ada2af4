import type { Report } from '../diagnostics.ts';
import type { Misfit } from './check-shape.ts';

/**
 * Warns of each, but where `report` tells of the same line already: a reader has told it in better words. Of a line on which
 * several places are wrong, which may be a whole document, only those very places are left out, and of each list or mapping
 * on it one is told.
 */
export function warnOfMisfits(misfits: readonly Misfit[], report: Report): void {
  const told = report.entries.flatMap(({ where }) => where ?? []);
  const firsts = new Map<string, Misfit>();
  for (const misfit of misfits) {
    const around = `${misfit.where.line} ${misfit.path.slice(0, Math.max(0, misfit.path.lastIndexOf('.')))}`;
    if (!firsts.has(around)) firsts.set(around, misfit);
  }
  const byLine = Map.groupBy(firsts.values(), ({ where }) => where.line);
  for (const { path, expected, where } of firsts.values()) {
    const isAlone = byLine.get(where.line)?.length === 1;
    const isTold = told.some(
      ({ line, column }) => line === where.line && (isAlone || column === where.column),
    );
    if (!isTold) report.warn('UserDataInvalid', `${path} ${expected} (cloud-init's schema).`, where);
  }
}
