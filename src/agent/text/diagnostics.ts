import { visible } from '../../kit/terminal/visible.ts';
import type { Code } from '../../protocol/codes/codes.ts';
import type { Diagnostic, Position } from '../document/document.ts';
import { MAX_REPORT_ENTRIES } from './limits.ts';
import type { SourceText } from './source-text.ts';

/**
 * Collects what is wrong or noteworthy in user data. Messages name keys, paths and expectations, but never
 * quote a value: any value may be a secret in the wrong place.
 */
export class Diagnostics {
  readonly entries: Diagnostic[];
  /** Explains positions; follows every message that has one. */
  readonly #note: string;
  /** The text in which positions count, if it is not the user data. */
  readonly #within: string | undefined;

  constructor(entries: Diagnostic[] = [], note = '', within?: string) {
    this.entries = entries;
    this.#note = note;
    this.#within = within;
  }

  error(code: Code, message: string, where?: Position): void {
    this.#add({ severity: 'error', code, message }, where);
  }

  warn(code: Code, message: string, where?: Position): void {
    this.#add({ severity: 'warning', code, message }, where);
  }

  /** The same entries, with a note that explains positions, e.g. `counted in MIME part 2 after decoding`. */
  counting(note: string): Diagnostics {
    return new Diagnostics(this.entries, note, this.#within);
  }

  /** The same entries, of this text: with what its positions count in. */
  of({ note = this.#note, within = this.#within }: Pick<SourceText, 'note' | 'within'>): Diagnostics {
    return new Diagnostics(this.entries, note, within);
  }

  get failed(): boolean {
    return this.entries.some((entry) => entry.severity === 'error');
  }

  /** No more of these are listed: whoever looks for what was meant by a word may stop. */
  isFull(severity: Diagnostic['severity']): boolean {
    return this.entries.filter((entry) => entry.severity === severity).length > MAX_REPORT_ENTRIES;
  }

  #add(entry: Diagnostic, where: Position | undefined): void {
    const same = this.entries.filter((other) => other.severity === entry.severity).length;
    if (same > MAX_REPORT_ENTRIES) return;
    if (same === MAX_REPORT_ENTRIES) {
      const what = entry.severity === 'error' ? 'errors' : 'warnings';
      this.entries.push({ ...entry, message: `There are more ${what} than the ${same} listed.` });
      return;
    }
    if (where === undefined) this.entries.push(entry);
    else {
      const { line, column, within = this.#within } = where;
      const place = { line, column, ...(within === undefined ? {} : { within }) };
      this.entries.push({ ...entry, message: entry.message + this.#remark(), where: place });
    }
  }

  #remark(): string {
    return this.#note === '' ? '' : ` (${this.#note})`;
  }
}

/** Makes a name from the user data (a key, a path, a file name) fit for one line: bounded and printable. */
export function printable(name: string): string {
  const clean = visible(name);
  return clean.length > 120 ? `${clean.slice(0, 117)}...` : clean;
}
