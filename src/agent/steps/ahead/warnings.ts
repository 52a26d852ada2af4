import type { Document, ReportEntry } from '../../document/document.ts';

/** Collects warnings, each at the first of its top-level keys that the user data have. */
export function warnings({ keys = [] }: Pick<Document, 'keys'>): {
  found: ReportEntry[];
  warn: (code: ReportEntry['code'], message: string, ...names: string[]) => void;
} {
  const found: ReportEntry[] = [];
  return {
    found,
    warn(code, message, ...names) {
      const where = keys.find(({ name }) => names.includes(name))?.where;
      found.push({ severity: 'warning', code, message, ...(where ? { where } : {}) });
    },
  };
}
