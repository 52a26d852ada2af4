/** Undoes the forms in which other programs quote what kubeadm printed: JSON and Ansible's results. */
import { journalPrefix, journalRecords, textOf } from './journal-records.ts';
import type { RawLine } from './line.ts';
import { peel } from './prefix.ts';
import { OWN_ERROR } from './sentences.ts';

/** One line of JSON may hold a whole output; more parts than this are not looked at. */
const MAX_PARTS = 2_000;
const MAX_JSON = 1024 * 1024;
const KUBEADM =
  /error execution phase|\[(?:preflight|init|kubelet-start|kubelet-check|wait-control-plane|control-plane-check|api-check)\] |--v=5 or higher|[EF]\d{4} [\d:.]{15} +\d+ (?:run|server)\.go:\d+\] /;
const ERROR = /error execution phase/;
/** Up to 1.12 no phase is named. */
const FAILED = /error execution phase|\[preflight\] Some fatal errors/;
const RESULT_COMMAND = /"cmd": ?(?:"|\[).{0,200}?\bkubeadm(?:", ?"| )([a-z]+)/;
const LIST_ITEM = /(?<!\\)"((?:error: )?error execution phase (?:[^"\\]|\\.){0,4096})",/;
/** Of a list of a result's lines, cut at both its ends, kubeadm's last one or the rest of it. */
const QUOTED_ERROR = /(?<!\\)"(?:error: )?error execution phase (?:[^"\\]|\\.){0,400}?\\"/;
const REST_OF_ITEM = /^((?:[^"\\]|\\.)+)", ?"(To see the stack trace [^"]*)"/;
/** The same of the string that holds the whole error: its beginning is cut off, the result's other keys are behind it. */
const REST_OF_ERROR =
  /^((?:[^"\\]|\\.)+?)\\n(To see the stack trace (?:[^"\\]|\\.)*)", ?"(?:stderr_lines|stdout|stdout_lines|start|rc)":/;

/** The lines of a file, and of each record of `journalctl -o json` and the like those of its message. */
export function recordsOf(text: string, firstNumber: number): RawLine[] {
  return (
    journalRecords(text, firstNumber) ??
    text.split('\n').flatMap((line, index) => recordOf(firstNumber + index, line))
  );
}

export function unquote(raw: readonly RawLine[]): RawLine[] {
  return results(withoutBrokenStrings(wholeResults(raw).flatMap(outOfStrings)));
}

/** A result of Ansible in one line of JSON, in which the lines of a string were broken. */
const BROKEN_RESULT = /^=> \{.*"(?:stdout|stderr|msg)": ?"(?:[^"\\]|\\.)*$/;
/** One whose lines were broken between its strings. */
const OPEN_RESULT = /^=> \{".*[,:[{]\s*$/;
const NEXT_STRING = /^\s*["[{]/;
const END_OF_RESULT =
  /\}\s*$|^(?:TASK|PLAY|NO MORE HOSTS|\.\.\.ignoring|(?:fatal|failed|changed|ok|skipping): \[)/;
const MAX_RESULT_LINES = 200;

function wholeResults(lines: readonly RawLine[]): RawLine[] {
  const whole: RawLine[] = [];
  for (let at = 0; at < lines.length; ) {
    const [first] = lines.slice(at, at + 1);
    at += 1;
    if (first === undefined) break;
    const pieces = [first.text];
    const others: RawLine[] = [];
    // What does not fit from its first arrow on fits from none.
    const arrow = first.text.indexOf('=> {');
    const result = arrow >= 0 && !isNamed(first) ? first.text.slice(arrow) : '';
    const isParted = OPEN_RESULT.test(result) && NEXT_STRING.test(lines[at]?.text ?? '');
    const isOpen = isParted || BROKEN_RESULT.test(result);
    while (isOpen && at < lines.length && pieces.length < MAX_RESULT_LINES) {
      const [next] = lines.slice(at, at + 1);
      if (next === undefined || (END_OF_RESULT.test(next.text) && !/\}\s*$/.test(next.text))) break;
      if (isParted && next.text.trim() === '') break;
      at += 1;
      if (isNamed(next)) others.push(next);
      else pieces.push(next.text);
      if (others.at(-1) !== next && END_OF_RESULT.test(next.text)) break;
    }
    whole.push({ ...first, text: pieces.join('\\n') }, ...others);
  }
  return whole;
}

/** A logger has said who wrote it: it is read with the other lines of that writer. */
const isNamed = ({ text, prefix }: RawLine): boolean =>
  prefix !== undefined || peel(text).program !== undefined;

/** The message is what a program that runs kubeadm has read, and not its own. */
const PASSED_ON =
  /"(?:msg|message)" ?: ?"(?:\{\\"level\\"|[IWEF]\d{4} \d\d:|\[[a-z][\w/-]*\] |(?:error: )?error execution phase |\\t\[ERROR |To see the stack trace )/;

/** A line of `journalctl -o json`, of Docker's log driver or of a program that logs what kubeadm prints; any other line is itself. */
export function recordOf(number: number, raw: string): RawLine[] {
  const isRecord =
    raw.startsWith('{') &&
    raw.length <= MAX_JSON &&
    (/"(?:log|MESSAGE)" ?: ?["[]/.test(raw) || PASSED_ON.test(raw));
  const open = isRecord ? parsed(raw) : undefined;
  if (open === undefined) return [{ number, text: raw }];
  const message = textOf(open.MESSAGE ?? open.log ?? open.msg ?? open.message);
  const time = textOf(open.time);
  const bare = /^\d{4}-\d\d-\d\d[T ]/.test(time) ? { number, prefix: `${time} stdout F ` } : { number };
  const line = open.MESSAGE === undefined ? bare : { number, prefix: journalPrefix(open) };
  return split(line, message.replace(/\n$/, ''));
}

/** The lines in those strings that tell of kubeadm, as Ansible prints results; any other line stays as it is. */
function outOfStrings(line: RawLine): RawLine[] {
  const raw = line.text;
  if (raw.length > MAX_JSON) return [line];
  // What `timeout` and signals leave stands in the result's status alone.
  const status = /"rc": ?(124|137|143)\b/.exec(raw)?.[1];
  // Which of kubeadm's commands it was; what stands behind may be secret.
  const [, command] = RESULT_COMMAND.exec(raw) ?? [];
  const isEnded = status !== undefined && /^(?:init|join)$/.test(command ?? '');
  // A result of kubeadm's that failed has its error, whatever that is.
  const isFailed = /^(?:init|join)$/.test(command ?? '') && /"rc": ?[1-9]/.test(raw);
  const isQuoted = raw.includes('\\n') || QUOTED_ERROR.test(raw) || REST_OF_ITEM.test(raw);
  if (!isEnded && !isFailed && (!isQuoted || !KUBEADM.test(raw))) return [line];
  const strings = [...raw.matchAll(/"(stderr|stdout|msg|message|log|output)"(?:: ?|=)"((?:[^"\\]|\\.)*)"/g)]
    .filter(([, key, string = '']) => KUBEADM.test(string) || (isFailed && key === 'stderr' && string !== ''))
    .map((match) => match[2] ?? '');
  // In a result that was cut, the error may stand in the list of lines alone.
  const [, item] = strings.some((string) => ERROR.test(string)) ? [] : (LIST_ITEM.exec(raw) ?? []);
  const [, rest, hint] = item === undefined ? (restOf(raw) ?? []) : [];
  if (rest !== undefined) strings.unshift(`${rest}\\n${hint}`);
  if (item !== undefined) strings.unshift(item, ...(strings.length === 0 ? [raw] : []));
  const whole = strings.length > 0 ? [...new Set(strings)] : [raw];
  // What was printed first stands in stdout, which Ansible names after stderr: the error is read last.
  if (strings.length > 1 && (rest !== undefined || FAILED.test(whole[0] ?? ''))) whole.reverse();
  const end: RawLine[] = status === undefined ? [] : [{ ...line, text: `exit status ${status}` }];
  const begin: RawLine[] = command === undefined ? [] : [{ ...line, text: `$ kubeadm ${command}` }];
  return [...begin, ...whole.flatMap((string) => split(line, unescaped(string))), ...end];
}

const restOf = (raw: string): RegExpExecArray | null => REST_OF_ITEM.exec(raw) ?? REST_OF_ERROR.exec(raw);

function parsed(raw: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(raw);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

const split = (line: Omit<RawLine, 'text'>, text: string): RawLine[] =>
  text
    .split('\n')
    .slice(0, MAX_PARTS)
    .map((part) => ({ ...line, text: part }));

function unescaped(string: string): string {
  return string.replace(/\\(u[0-9a-fA-F]{4}|.)/g, (_, code: string) => {
    if (code === 'n') return '\n';
    if (code === 't') return '\t';
    if (code === 'r') return '';
    return code.length === 5 ? String.fromCharCode(Number.parseInt(code.slice(1), 16)) : code;
  });
}

const KEY =
  /^(\s*)"?(stdout|stderr|msg)(_lines)?"?:(?:\s*(?:([|>][\d+-]*|\[)|("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'),?))?\s*$/;

/**
 * Results of Ansible over several lines, as its callbacks yaml and json print them: a block or a list for each stream,
 * the error's before the progress'. They are put in the order in which kubeadm printed them, each once.
 */
function results(lines: readonly RawLine[]): RawLine[] {
  const out: RawLine[] = [];
  for (let at = 0; at < lines.length; ) {
    const end = KEY.test(lines[at]?.text ?? '') ? endOfResult(lines, at) : at + 1;
    const part = lines.slice(at, end);
    const streams = end === at + 1 ? [] : streamsOf(part);
    const isOurs = streams.some(({ text }) => KUBEADM.test(text) || OWN_ERROR.test(text));
    const found = isOurs ? streams : part;
    out.push(...(LIST_KEY.test(found[0]?.text ?? '') ? found.map(fromList) : found));
    at = end;
  }
  return out;
}

/** A list of a result that somebody has cut out, without what stands around it. */
const LIST_KEY = /^\s*"(?:stdout|stderr)_lines": ?\[\s*$/;
const fromList = (line: RawLine): RawLine => (/^\s*"(?:[^"\\]|\\.)*",?$/.test(line.text) ? item(line) : line);

/** JSON in which somebody has broken the lines of a string: it ends where its quotation does. */
const OPEN_STRING = /^\s*"(?:stdout|stderr|msg)":\s*"((?:[^"\\]|\\.)*)$/;
const REST_OF_STRING = /^((?:[^"\\]|\\.)*)(",?\s*$)?/;
const MAX_STRING_LINES = 100;

function withoutBrokenStrings(lines: readonly RawLine[]): RawLine[] {
  const out: RawLine[] = [];
  for (let at = 0; at < lines.length; ) {
    const broken = brokenString(lines, at) ?? [];
    const isOurs = broken.some(({ text }) => KUBEADM.test(text));
    const length = isOurs ? broken.length : 1;
    out.push(...(isOurs ? broken : lines.slice(at, at + 1)));
    at += length;
  }
  return out;
}

function brokenString(lines: readonly RawLine[], start: number): RawLine[] | undefined {
  const [first] = lines.slice(start, start + 1);
  const head = OPEN_STRING.exec(first?.text ?? '')?.[1];
  if (first === undefined || head === undefined) return undefined;
  const found = [{ ...first, text: unescaped(head) }];
  for (const line of lines.slice(start + 1, start + MAX_STRING_LINES)) {
    const [whole, text = '', end] = REST_OF_STRING.exec(line.text) ?? [];
    if (whole !== line.text) return undefined;
    found.push({ ...line, text: unescaped(text) });
    if (end !== undefined) return found;
  }
  return undefined;
}

/** A result goes on as long as nothing stands further left than its keys. */
function endOfResult(lines: readonly RawLine[], start: number): number {
  const indent = indentOf(lines[start]?.text ?? '');
  for (let at = start + 1; at < lines.length; at++) {
    const text = lines[at]?.text ?? '';
    if (text.trim() !== '' && indentOf(text) < indent) return at;
  }
  return lines.length;
}

function streamsOf(lines: readonly RawLine[]): RawLine[] {
  const indent = indentOf(lines[0]?.text ?? '');
  const blocks = new Map<string, RawLine[]>();
  for (const [index, head] of lines.entries()) {
    const key = KEY.exec(head.text);
    if (key === null || indentOf(head.text) !== indent) continue;
    const name = `${key[2]}${key[3] ?? ''}`;
    if (key[5] !== undefined) {
      blocks.set(name, [item({ ...head, text: key[5] })]);
      continue;
    }
    const rest = lines.slice(index + 1);
    const isItem = (text: string): boolean => key[4] === undefined && /^\s*- /.test(text);
    const length = rest.findIndex(
      ({ text }) => text.trim() !== '' && indentOf(text) <= indent && !isItem(text),
    );
    const block = rest.slice(0, length < 0 ? rest.length : length);
    blocks.set(name, isText(key[4]) ? dedented(block) : block.map(item));
  }
  const stream = (name: string): RawLine[] => blocks.get(name) ?? blocks.get(`${name}_lines`) ?? [];
  const streams = [...stream('stdout'), ...stream('stderr')];
  return streams.some(({ text }) => text.trim() !== '') ? streams : stream('msg');
}

const isText = (mark: string | undefined): boolean => mark !== undefined && mark !== '[';
const indentOf = (text: string): number => text.length - text.trimStart().length;

function dedented(block: RawLine[]): RawLine[] {
  const indent = Math.min(
    ...block.filter(({ text }) => text.trim() !== '').map(({ text }) => indentOf(text)),
    MAX_PARTS,
  );
  return block.map((line) => ({ ...line, text: line.text.slice(indent) }));
}

/** `- 'text'`, `- "text"`, `- text`, or JSON's `"text",`. */
function item(line: RawLine): RawLine {
  const bare = line.text.trim().replace(/^- /, '');
  const double = /^"((?:[^"\\]|\\.)*)",?$/.exec(bare)?.[1];
  if (double !== undefined) return { ...line, text: unescaped(double) };
  const single = /^'(.*)'$/.exec(bare)?.[1];
  return { ...line, text: single === undefined ? bare : single.replaceAll("''", "'") };
}
