import type { Diagnostics } from '../../diagnostics.ts';
import type { SourceText } from '../../source-text.ts';

/** Characters that PyYAML refuses anywhere in a document (its reader's NON_PRINTABLE). */
// Built from a string, for control characters in a literal are a mistake anywhere else.
const FORBIDDEN = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** Offset of the first character that YAML 1.1 forbids, and how to call it. */
export function forbiddenCharacter(text: string): { at: number; name: string } | undefined {
  const at = text.search(FORBIDDEN);
  if (at === -1) return undefined;
  const code = (text.codePointAt(at) ?? 0).toString(16).padStart(4, '0');
  return { at, name: `U+${code.toUpperCase()}` };
}

/** Reports the first character that YAML 1.1 forbids. @returns false if there is one */
export function checkText(source: SourceText, diagnostics: Diagnostics): boolean {
  const found = forbiddenCharacter(source.text);
  if (found === undefined) return true;
  const message = `YAML does not allow the character ${found.name}; write it as an escape in double quotes, or encode the value in base64.`;
  diagnostics.error('UserDataSyntax', message, source.locate(found.at));
  return false;
}
