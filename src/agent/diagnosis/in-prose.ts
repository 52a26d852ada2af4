/** An error that somebody has put into a sentence of his own: `find error:   [ERROR Swap]: ...`. */
import type { LogLine } from './transcript/line.ts';
import { CHECKS, OTHERS, OWN_SENTENCES, PHASES } from './transcript/sentences.ts';

/** Only an excerpt is read so; in a log a program may quote what another has said long ago. */
const MAX_LINES = 60;
const HEAD = new RegExp(
  `(?:error: )?error execution phase (?:${PHASES})(?:/[\\w/-]*)?: \\S|\\[ERROR (?:${CHECKS})[\\w./-]*\\]: \\S|(?:${OWN_SENTENCES}).*\\S`,
);

/** It is a program's text, with verbs for what is put in. */
const SOURCE = /%[a-z]/;

/** The lines from their errors on; undefined where no sentence has one in it. */
export function outOfProse(lines: readonly LogLine[]): LogLine[] | undefined {
  const texts = lines.filter(({ text }) => text.trim() !== '');
  if (texts.length > MAX_LINES) return undefined;
  const found = lines.map((line) => ({
    line,
    at: SOURCE.test(line.text) || OTHERS.test(line.text) ? 0 : (HEAD.exec(line.text)?.index ?? 0),
  }));
  if (!found.some(({ at }) => at > 0)) return undefined;
  return found.map(({ line, at }) => (at === 0 ? line : { ...line, text: line.text.slice(at) }));
}
