/** Rules over the log lines of one program: from a line to a diagnosis. */
import { type Diagnosis, shorten } from '../patterns/pattern.ts';

export interface Rule {
  pattern: RegExp;
  diagnose(match: RegExpExecArray): Omit<Diagnosis, 'evidence'> | undefined;
}

export const rule = (pattern: RegExp, diagnose: Rule['diagnose']): Rule => ({ pattern, diagnose });

/** Longer lines are cut before they are looked at. */
const MAX_LINE = 4096;

/** The diagnosis of the last line that a rule knows; of several rules for one line, the first. */
export function lastKnown(rules: readonly Rule[], lines: readonly string[]): Diagnosis | undefined {
  for (let i = lines.length - 1; i >= 0; i--) {
    const text = plain(lines[i] ?? '');
    for (const { pattern, diagnose } of rules) {
      const match = pattern.exec(text);
      const diagnosis = match === null ? undefined : diagnose(match);
      if (diagnosis !== undefined) return { ...diagnosis, evidence: shorten(text, 400) };
    }
  }
  return undefined;
}

/** Structured logs quote what they quote: `err="unknown flag: \"x\""` is read as it was meant. */
export function plain(line: string): string {
  return (
    line
      .slice(0, MAX_LINE)
      // A quotation within one that is quoted itself.
      .replace(/\\(?:\\\\){1,3}"/g, '"')
      .replace(/\\(["\\nt])/g, (_, code: string) => (code === 'n' || code === 't' ? ' ' : code))
      // A terminal's window that was made wider leaves gaps.
      .replace(/ {3,}/g, ' ')
  );
}

/** The port at the end of an address, for whoever wants to know who listens there. */
export function portFacts(address: string | undefined): Pick<Diagnosis, 'facts'> {
  const port = Number(/:(\d{1,5})$/.exec(address ?? '')?.[1]);
  return port > 0 ? { facts: { port } } : {};
}

/** A reason as it may stand in a sentence: without what closes a quotation around it, at most 200 characters. */
export function reason(text: string | undefined): string {
  // journalctl marks with `>` where it cut a line off.
  const cut = (text ?? '').replace(/^([^<]*[^<>\s-])>$/, '$1…');
  const bare = cut
    .replace(/" path=.*$/, '')
    .replace(/(?<![\s.,;])[\s.,;]+$/, '')
    .trim();
  const quotes = bare.split('"').length - 1;
  return shorten(quotes % 2 === 1 ? bare.replace(/(?<![\s.,;])[\s.,;]*"[\s.,;]*$/, '') : bare, 200);
}
