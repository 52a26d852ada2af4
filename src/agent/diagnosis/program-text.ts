/**
 * The text of a program or a script, in which an error of kubeadm stands as a string, a comment or what a test expects:
 * nothing has failed there.
 */
import { type LogLine, linesBy } from './transcript/line.ts';
import { PROGRESS } from './transcript/sentences.ts';

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
  /^# ?(?:={20,}|-{20,}|#{20,})/,
  /^(?:fi|esac|done|;;|then|do)$|^case .* in$|^if \[\[? .*(?:then|\]|; fi)$|^elif |^[a-z_]\w*="[^"]*\$/,
];

/** The lines of those writers whose text is none. */
export function withoutProgramText(lines: readonly LogLine[]): LogLine[] {
  const writers = [...linesBy('writer', lines)];
  const programs = new Set(writers.filter(([, own]) => isProgramText(own)).map(([writer]) => writer));
  return programs.size === 0 ? [...lines] : lines.filter(({ writer }) => !programs.has(writer));
}

function isProgramText(lines: readonly LogLine[]): boolean {
  const texts = lines.map(({ text }) => text.trim()).filter((text) => text !== '');
  if (texts.length > MAX_LINES || texts.some((text) => PROGRESS.test(text))) return false;
  return texts.filter((text) => STATEMENTS.some((statement) => statement.test(text))).length >= ENOUGH;
}
