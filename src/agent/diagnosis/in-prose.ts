/** An error of kubeadm or the kubelet that somebody has put into a sentence of his own: `find error:   [ERROR Swap]: ...`. */
import { LAUNCHES } from './transcript/certain.ts';
import { type LogLine, linesBy } from './transcript/line.ts';
import { CHECKS, ERROR_WITHIN, IN_CASE, isHead, OTHERS, OWN_REQUEST } from './transcript/sentences.ts';
import { GOES_ON, NARROWEST } from './transcript/unwrap.ts';

/** Only an excerpt is read so; in a log a program may quote what another has said long ago. */
const MAX_LINES = 60;
/** Its head, the line below, and two messages. */
const MANY_ROWS = 4;
/** The kubelet's last words. */
const KUBELET =
  /"command failed" err="failed to |[Ff]ailed to (?:run [Kk]ubelet|parse kubelet flag): (?!misconfiguration: *$)\S|kubelet cgroup driver: \W*\w+\W* is different from \w|^\W*(?:RunPodSandbox from runtime service failed" err=|failed to get sandbox image \\?"[^"\s]{1,200}": failed to pull |Registration of the raw container factory failed: )/;

/** A row of a table in which several messages are explained. */
const ROW = /^\s*\|.*\|.*\|/;
/** Behind the closing quotation mark: what the error means, or where it comes. */
const EXPLAINED =
  /["`'*] (?:error )?(?:means|indicates|occurs|happens|appears) (?:that|when|if|your|the|a)\b/;
/** A list of changes says which errors come no more. */
const MENDED =
  /\bfix(?:e[sd]|ing)? (?:a|an|the|some) (?:\w+ )?(?:bug|issue|problem|regression|panic|race|error)\b/i;
/** The head of a question in a list of them. */
const QUESTION = /^[\s#>*|-]*Q\d+\s*[:：.、)]/;
const NO_REASON = /couldn't validate the identity of the API Server$/;
/** A list of errors, each with what helps: it is a page for whoever meets one of them. */
const TROUBLE = /^[\s>*-]*(?:issue|error|problem|symptom|message)s?\**\s*[:：]/i;
const HELP = /^[\s>*-]*(?:solution|fix|resolution|remedy|workaround)s?\**\s*[:：]/i;
const NEAR_HELP = 4;
const MANY_TROUBLES = 2;
/** It is a program's text, with verbs for what is put in. */
const SOURCE = /%[a-z]/;
/** What kubeadm only warns of. */
const WARNING = /^\s*W\d{4} .*\b(?:error unmarshaling|unknown) configuration schema\./;
/** A command of a script that prints it or looks for it. */
const COMMAND =
  /^\s*(?:[$#] |if |! )*(?:echo|printf|e?grep|sed|awk|logger|die|fail|warn|log|raise|throw|assert)\b[^:]*["'`]/;
/** In front of a sentence: it is the argument of a call, as in `errors.New("...`. */
const ARGUMENT = /\w\((?:[^()"]*, ?)?"$/;

/** The lines from their errors on; undefined where no sentence of an excerpt has one in it. */
export function outOfProse(all: readonly LogLine[]): LogLine[] | undefined {
  const lines = joined(all);
  const writers = [...linesBy('writer', lines)];
  const solved = solvedIn(lines);
  const isTable = lines.filter(({ text }) => ROW.test(text)).length >= MANY_ROWS;
  const excerpts = new Set(writers.filter(([, own]) => isExcerpt(own)).map(([writer]) => writer));
  const found = lines.map((line, place) => {
    const text = wholeSpan(line, lines[place + 1]);
    if (!excerpts.has(line.writer)) return { line, at: 0 };
    if ([SOURCE, OTHERS, WARNING, COMMAND, OWN_REQUEST, EXPLAINED, MENDED].some((other) => other.test(text)))
      return { line, at: 0 };
    if ((isTable && ROW.test(text)) || QUESTION.test(text) || solved.has(line)) return { line, at: 0 };
    const own = ERROR_WITHIN.exec(text);
    const kubelet = own === null && line.program !== 'kubelet' ? KUBELET.exec(text) : null;
    const before = text.slice(0, (own ?? kubelet)?.index ?? 0);
    if (ARGUMENT.test(before) || IN_CASE.test(before)) return { line, at: 0 };
    // A sentence of kubeadm's without a reason is only spoken of.
    const [quoted = ''] = before.endsWith('`') ? text.slice(before.length).split('`') : [text];
    if (own !== null && (!ERROR_WITHIN.test(quoted) || NO_REASON.test(quoted))) return { line, at: 0 };
    return {
      line: { ...line, text, ...(kubelet === null ? {} : { program: 'kubelet' }) },
      at: (own ?? kubelet)?.index ?? 0,
    };
  });
  if (!found.some(({ line, at }, place) => at > 0 || line.program !== lines[place]?.program))
    return undefined;
  return found.map(({ line, at }) => (at === 0 ? line : { ...line, text: line.text.slice(at) }));
}

/** The errors of such a list. */
function solvedIn(lines: readonly LogLine[]): Set<LogLine> {
  const isSolved = (line: LogLine, at: number): boolean =>
    TROUBLE.test(line.text) && lines.slice(at + 1, at + NEAR_HELP).some(({ text }) => HELP.test(text));
  const found = lines.filter(isSolved);
  return new Set(found.length >= MANY_TROUBLES ? found : []);
}

/** A sentence goes on in so many lines. */
const MAX_WRAPPED = 16;
const WIDEST_PROSE = 120;
const NEXT = new RegExp(`${GOES_ON.source}|^(?:${CHECKS})`);

/** An error that was wrapped with the sentence in which it stands, in one line. */
function joined(lines: readonly LogLine[]): LogLine[] {
  const whole: LogLine[] = [];
  for (let at = 0; at < lines.length; ) {
    const [first, ...more] = lines.slice(at, at + MAX_WRAPPED);
    if (first === undefined) break;
    const end = more.findIndex((next, index) => !isWrapped(lines[at + index], next));
    const rest = more.slice(0, end < 0 ? more.length : end);
    const text = [first.text.trimEnd(), ...rest.map((line) => line.text.trim())].join(' ');
    const isQuoted = (ERROR_WITHIN.exec(text)?.index ?? text.length) < first.text.length;
    whole.push(isQuoted ? { ...first, text } : first);
    at += isQuoted ? rest.length + 1 : 1;
  }
  return whole;
}

const isWrapped = (line: LogLine | undefined, next: LogLine): boolean =>
  line !== undefined &&
  line.program === undefined &&
  line.writer === next.writer &&
  line.number + 1 === next.number &&
  line.text.length > NARROWEST &&
  line.text.length <= WIDEST_PROSE &&
  NEXT.test(next.text) &&
  !/^\s*(?:[>|*+-]|\d+[.)]) /.test(next.text) &&
  !isHead(next.text);

/** What is quoted within a sentence goes on in the next line where the text was wrapped. */
function wholeSpan({ text, writer }: LogLine, next: LogLine | undefined): string {
  const isOpen = text.split('`').length % 2 === 0 && !text.includes('```');
  const goesOn = isOpen && !ERROR_WITHIN.test(text) && next?.writer === writer && next.text.includes('`');
  return goesOn ? `${text.trimEnd()} ${next.text.trimStart()}` : text;
}

/** Where programs are named, only one that runs kubeadm shows texts of others. */
const isExcerpt = (lines: readonly LogLine[]): boolean =>
  LAUNCHES.test(lines[0]?.program ?? 'kubeadm') &&
  lines.filter(({ text }) => text.trim() !== '').length <= MAX_LINES;
