/**
 * The text of a program or a script, in which an error of kubeadm stands as a string, a comment or what a test expects:
 * nothing has failed there.
 */
import { withoutHeredocs } from './told/heredoc.ts';
import { type LogLine, linesBy } from './transcript/line.ts';
import { FENCE, PROGRESS } from './transcript/sentences.ts';

/** In a longer text some lines may look like anything. */
const MAX_LINES = 60;
const ENOUGH = 2;
/** Statements of Go, TypeScript, Python and the shell, as no log has them on lines of their own. */
const STATEMENTS = [
  /^(?:export )?(?:func|def|async def|class) [\w(]/,
  /^(?:export )?(?:const|let|var) [\w{][\w, }]*(?::[^=]+)? :?= ?/,
  /^(?:[\w.]+(?:, [\w.]+)*) :?= (?:`|await |new |func\(|errors\.|[\w.]+\((?!.*\)\.$))/,
  /^(?:\} else \{|if err(?::=|[ =!])|if \w+ [!=]= nil|return (?:nil|errors|fmt|\w+,)|throw new |assert[\s.(]|defer |t\.(?:Fatal|Error|Run)|expect\(|describe\(|it\(|\)\.to[A-Z])/,
  /\.(?:Errorf|Wrapf?|New|Fatalf?|Infof|Warningf)\(/,
  /^(?:for [\w, ]+ in .+:|if .+ (?:is (?:not )?None|(?:[!=]=|in) \S+):|except\b.*:|\w+ \+= .+|return \w+\(.*)$/,
  /^(?:import [\w.]+(?: as \w+)?|from [\w.]+ import .+)$|^[A-Z][A-Z_]+ = [[{(]$/,
  /^# ?(?:={20,}|-{20,}|#{20,})/,
  // A field of a literal: as gofmt aligns it, in backquotes, or a constant. A console that shows an object has none of these.
  /^\w+: {2,}"[^"]*",$|^\w+: +`[^`]*`,$|^\w+: +[A-Z][A-Za-z]+,$|^\w+: +(?:\[\]\w+|[A-Z]\w*)\{/,
  /^(?:fi|esac|done|;;|then|do)$|^case .* in$|^if \[\[? .*(?:then|\]|; fi)$|^elif |^[a-z_]\w*="[^"]*\$/,
];

/** A field with a text of several: a console that shows an object has single quotation marks. */
const FIELD = /^\w+: "(?:[^"\\]|\\.)*",$/;
const MANY_FIELDS = 3;
/** Tests that have been written, not their output: what they are given to read may have kubeadm's own steps. */
const TEST = [/^(?:describe|it|test)\(["'`]/, /^expect\(/];

/** Of a script, as no output has them: how it begins, its branches and loops, and what it prints or sets. */
const SHEBANG = /^\s*#! ?\/\S*\b(?:(?:ba|da|z|k)?sh|python3?|env)\b/;
const SHELL = [
  SHEBANG,
  /^(?:fi|esac|done|;;|then|do|else)(?:\s*#.*|;)?$/,
  /^case .*\bin$|^(?:el)?if (?:\[|!|grep|command|test|which|\S+;).*|^(?:while|until|for) .*(?:do|;|\$.*|\bin\b.*)$|^(?:function )?[\w-]+ ?\(\) ?\{$/,
  /^(?:"[^"]{1,40}"|'[^']{1,40}'|[\w.*|-]{1,40})\)$/,
  /^(?:export |local |readonly )?[A-Za-z_]\w*=(?:"|'|\$|\S+$)|^set -[euxo]/,
];
const PRINTS = /^(?:echo|printf|log|logger|die|fail|warn|err|error_exit|grep|egrep|sed|awk) ["'-]|^: ["']/;
const COMMENT = /^#(?!#)/;
/** Somebody explains what the script does: so many lines of so many words, beside one of its statements. */
const EXPLANATION = /^#(?:\s+[\p{L}\p{P}]+){7}/u;
const LONG_EXPLANATION = 4;

/** The lines of those writers whose text is none, and of these what is no comment or string of a script within it, and no remark. */
export function withoutProgramText(lines: readonly LogLine[]): LogLine[] {
  const writers = [...linesBy('writer', lines)];
  const programs = new Set(writers.filter(([, own]) => isProgramText(own)).map(([writer]) => writer));
  const scripts = new Set(writers.flatMap(([writer, own]) => (programs.has(writer) ? [] : scriptLines(own))));
  const said = lines.filter(
    (line) => !programs.has(line.writer) && !scripts.has(line) && !PAGE_TITLE.test(line.text),
  );
  return withoutMended(withoutRemarks(withoutHeredocs(said)));
}

/** Somebody else's failure, to which a link leads. */
const PAGE_TITLE = / · (?:Issue|Pull Request|Discussion) #\d{1,9} · [\w.-]{1,100}\//;

/** A list of changes, or what is told of one: the errors below it come no more. */
const MENDED =
  /^(?:#{1,5} (?:Bug ?)?Fix(?:ed|es)|\*\*(?:Error|Issue|Bug|Problem)s? (?:Fixed|Resolved|Solved)\W{0,3})$/i;
const HEADING = /^(?:#{1,5} \S|\*\*[^*]{1,80}\*\*$)/;

function withoutMended(lines: LogLine[]): LogLine[] {
  if (lines.length > MAX_LINES || !lines.some(({ text }) => MENDED.test(text))) return lines;
  let isMended = false;
  return lines.filter(({ text }) => {
    if (HEADING.test(text)) isMended = MENDED.test(text);
    return !isMended;
  });
}

/** Comments and printed strings of the blocks in which a script's own statements are. A block ends at an empty line, a script that has its first line at none. */
function scriptLines(lines: readonly LogLine[]): LogLine[] {
  const found: LogLine[] = [];
  let block: LogLine[] = [];
  let statements = 0;
  for (const line of [...lines, undefined]) {
    const text = line?.text.trim() ?? '';
    const isParted = text === '' && !SHEBANG.test(block[0]?.text ?? '');
    if (line !== undefined && !isParted && !FENCE.test(text) && !PROGRESS.test(text)) {
      block.push(line);
      if (SHELL.some((statement) => statement.test(text))) statements += 1;
      continue;
    }
    const isExplained =
      statements > 0 && block.filter((one) => EXPLANATION.test(one.text.trim())).length >= LONG_EXPLANATION;
    if (statements >= ENOUGH || isExplained || SHEBANG.test(block[0]?.text ?? ''))
      for (const one of block) if (isSaidByScript(one)) found.push(one);
    block = [];
    statements = 0;
  }
  return found;
}

const isSaidByScript = ({ text, isComment }: LogLine): boolean =>
  isComment === true || COMMENT.test(text.trim()) || PRINTS.test(text.trim());

/** A comment of Go or TypeScript. */
const REMARK = /^\s*\/\/(?:\s+|$)/;
const isRemark = ({ text }: LogLine): boolean => REMARK.test(text);

/** Several of them in a row quote what a call would say, but where one is a step of kubeadm: then somebody has put an output there. */
function withoutRemarks(lines: LogLine[]): LogLine[] {
  if (!lines.some(isRemark)) return lines;
  const shown = new Set(
    lines.filter(({ text }) => PROGRESS.test(text.replace(REMARK, ''))).map(({ writer }) => writer),
  );
  return lines.filter(
    (line, at) =>
      shown.has(line.writer) ||
      !isRemark(line) ||
      ![lines[at - 1], lines[at + 1]].some((next) => next !== undefined && isRemark(next)),
  );
}

function isProgramText(lines: readonly LogLine[]): boolean {
  const texts = lines.map(({ text }) => text.trim()).filter((text) => text !== '');
  if (texts.length > MAX_LINES) return false;
  if (TEST.every((mark) => texts.some((text) => mark.test(text)))) return true;
  if (texts.some((text) => PROGRESS.test(text))) return false;
  if (texts.filter((text) => FIELD.test(text)).length >= MANY_FIELDS) return true;
  const statements = texts.filter((text) => STATEMENTS.some((statement) => statement.test(text))).length;
  return statements >= ENOUGH || (statements > 0 && lines.filter(isRemark).length >= ENOUGH);
}
