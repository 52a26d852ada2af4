import type { Diagnostics } from '../diagnostics.ts';
import type { ShapeMismatch } from './check-shape.ts';

/**
 * Warns of each, but where `diagnostics` tells of the same line already: a reader has told it in better words. Of a line on which
 * several places are wrong, which may be a whole document, only those very places are left out, and of each list or mapping
 * on it one is told.
 */
export function warnOfMismatches(misfits: readonly ShapeMismatch[], diagnostics: Diagnostics): void {
  const told = diagnostics.entries.flatMap(({ where }) => where ?? []);
  const firsts = new Map<string, ShapeMismatch>();
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
    if (!isTold) diagnostics.warn('UserDataInvalid', `${path} ${expected} (cloud-init's schema).`, where);
  }
}
