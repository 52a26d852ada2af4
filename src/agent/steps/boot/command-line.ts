import type { KernelArgumentsEntry } from '../../document/document.ts';

/** The words of a kernel's command line; quotes keep words together. */
function wordsOf(line: string): string[] {
  return line.match(/(?:"[^"]*"|\S)+/g) ?? [];
}

/** The line with what is missing behind it, and without what is not to be there; the rest as it is. */
export function changedLine(line: string, { present, absent }: KernelArgumentsEntry): string {
  const words = wordsOf(line);
  const kept = words.filter((word) => !absent.includes(word));
  const added = present.filter((word, index) => !kept.includes(word) && present.indexOf(word) === index);
  return kept.length === words.length && added.length === 0 ? line : [...kept, ...added].join(' ');
}

export function isAsAsked(line: string, asked: KernelArgumentsEntry): boolean {
  return changedLine(line, asked) === line;
}
