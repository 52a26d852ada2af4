/** An error of kubeadm or the kubelet that somebody has put into a sentence of his own: `find error:   [ERROR Swap]: ...`. */
import type { LogLine } from './transcript/line.ts';
import { ERROR_WITHIN, OTHERS } from './transcript/sentences.ts';

/** Only an excerpt is read so; in a log a program may quote what another has said long ago. */
const MAX_LINES = 60;
/** The kubelet's last words. */
const KUBELET = /"command failed" err="failed to |[Ff]ailed to run [Kk]ubelet: \S/;

/** It is a program's text, with verbs for what is put in. */
const SOURCE = /%[a-z]/;
/** What kubeadm only warns of. */
const WARNING = /^\s*W\d{4} .*\b(?:error unmarshaling|unknown) configuration schema\./;
/** In front of a sentence: it is the argument of a call, as in `errors.New("...`. */
const ARGUMENT = /\w\((?:[^()"]*, ?)?"$/;

/** The lines from their errors on; undefined where no sentence has one in it. */
export function outOfProse(lines: readonly LogLine[]): LogLine[] | undefined {
  const texts = lines.filter(({ text }) => text.trim() !== '');
  if (texts.length > MAX_LINES) return undefined;
  const found = lines.map((line) => {
    const { text } = line;
    if (SOURCE.test(text) || OTHERS.test(text) || WARNING.test(text)) return { line, at: 0 };
    const own = ERROR_WITHIN.exec(text);
    if (own !== null && ARGUMENT.test(text.slice(0, own.index))) return { line, at: 0 };
    const kubelet = own === null && line.program === undefined ? KUBELET.exec(text) : null;
    return {
      line: kubelet === null ? line : { ...line, program: 'kubelet' },
      at: (own ?? kubelet)?.index ?? 0,
    };
  });
  if (!found.some(({ at }) => at > 0)) return undefined;
  return found.map(({ line, at }) => (at === 0 ? line : { ...line, text: line.text.slice(at) }));
}
