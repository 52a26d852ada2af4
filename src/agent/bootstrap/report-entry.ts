import { placeText } from '../../kit/position.ts';
import type { Failure, Finding } from '../../protocol/journal.ts';
import type { Diagnostic } from '../document/document.ts';
import { failure } from '../engine/failure.ts';

/** What a report says of the user data, with its place. */
export function entryText({ where, message }: Diagnostic): string {
  return where ? `${placeText(where)}: ${message}` : message;
}

/** A warning as the journal and the outcome have it. */
export function entryFinding({ code, message, where }: Diagnostic): Omit<Finding, 'type'> {
  if (where?.within !== undefined)
    return { severity: 'warning', code, message: `${placeText(where)}: ${message}` };
  return { severity: 'warning', code, message, ...(where ? { where: `${where.line}:${where.column}` } : {}) };
}

/** More than these nobody reads at once; `slipway check` tells all. */
const TOLD = 20;

/** The failure of user data with these errors. */
export function badInput(wrong: readonly Diagnostic[]): Failure {
  const [first, ...others] = wrong as [Diagnostic, ...Diagnostic[]];
  const more = others.length > 0 ? ` (and ${others.length} more)` : '';
  return failure(first.code, `${entryText(first)}${more}`, { lines: others.slice(0, TOLD).map(entryText) });
}
