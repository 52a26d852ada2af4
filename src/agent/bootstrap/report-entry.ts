import { placeText } from '../../kit/position.ts';
import type { Finding } from '../../protocol/journal.ts';
import type { ReportEntry } from '../document/document.ts';

/** What a report says of the user data, with its place. */
export function entryText({ where, message }: ReportEntry): string {
  return where ? `${placeText(where)}: ${message}` : message;
}

/** A warning as the journal and the outcome have it. */
export function entryFinding({ code, message, where }: ReportEntry): Omit<Finding, 'type'> {
  if (where?.within !== undefined)
    return { severity: 'warning', code, message: `${placeText(where)}: ${message}` };
  return { severity: 'warning', code, message, ...(where ? { where: `${where.line}:${where.column}` } : {}) };
}
