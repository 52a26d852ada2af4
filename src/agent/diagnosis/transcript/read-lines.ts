/** From the text of a log file to its lines; also undoes the form in which Ansible and others quote output. */
import { cleanLine, type LogLine, learnPrefix } from './line.ts';

/** One line of JSON may hold a whole output; more parts than this are not looked at. */
const MAX_PARTS = 2_000;
const QUOTED = /error execution phase|\[preflight\] |\[init\] |\[kubelet-start\] |--v=5 or higher/;

/**
 * @param firstNumber Number of the first line, when `text` is only the end of the file.
 */
export function readLines(file: string, text: string, firstNumber = 1): LogLine[] {
  const lines: LogLine[] = [];
  text.split('\n').forEach((raw, index) => {
    for (const part of unquote(raw)) lines.push({ file, number: firstNumber + index, ...cleanLine(part) });
  });
  const prefix = learnPrefix(lines.map((line) => line.text));
  if (prefix === undefined) return lines;
  return lines.map((line) => ({ ...line, text: line.text.replace(prefix, '') }));
}

/** `"stderr": "error execution phase ...\n\t[ERROR ...]"`: the string's lines, each with the number of the one they stand in. */
function unquote(raw: string): string[] {
  if (!raw.includes('\\n') || raw.length > 1024 * 1024 || !QUOTED.test(raw)) return [raw];
  const strings = [...raw.matchAll(/"(?:stderr|stdout|msg|message|log|output)": ?"((?:[^"\\]|\\.)*)"/g)]
    .map((match) => match[1] ?? '')
    .filter((string) => QUOTED.test(string));
  const whole = strings.length > 0 ? [...new Set(strings)] : [raw];
  // What was printed first stands in stdout, which Ansible names after stderr: the error is read last.
  if (strings.length > 1 && /error execution phase/.test(whole[0] ?? '')) whole.reverse();
  return whole.flatMap((string) => unescaped(string).split('\n')).slice(0, MAX_PARTS);
}

function unescaped(string: string): string {
  return string.replace(/\\(u[0-9a-fA-F]{4}|.)/g, (_, code: string) => {
    if (code === 'n') return '\n';
    if (code === 't') return '\t';
    if (code === 'r') return '';
    return code.length === 5 ? String.fromCharCode(Number.parseInt(code.slice(1), 16)) : code;
  });
}
