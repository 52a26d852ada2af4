/** From the text of a log file to its lines, each with the stream that it belongs to, wrapped ones put together. */
import { isCutOff, isUnfinished } from '../patterns/continued.ts';
import { attachBare, eachAlone, type Line, MAX_PIECES } from './alone.ts';
import { withStep } from './certain.ts';
import { learnPrefixes } from './learned-prefix.ts';
import { type LogLine, linesBy, type RawLine } from './line.ts';
import { peel } from './prefix.ts';
import { isHead, KLOG } from './sentences.ts';
import { recordOf, recordsOf, unquote } from './unquote.ts';
import { unwrap } from './unwrap.ts';
import { KUBELET_SAYS, MARGIN, nameWriter } from './writer.ts';

/** @param firstNumber Number of the first line, when `text` is only a part of the file. */
export function readLines(file: string, text: string, firstNumber = 1): LogLine[] {
  const [first, ...rest] = recordsOf(text, firstNumber);
  const lines = reading(file, first ? [{ ...first, text: withStep(first.text) }, ...rest] : [], 0);
  for (const line of lines) {
    line.writer = `${file} ${line.writer}`;
    line.stream = `${file} ${line.stream}`;
  }
  return lines;
}

/** So often may a text be quoted within that of another writer. */
const MAX_DEPTH = 4;

/** Writers and streams are without the file. */
function reading(file: string, raw: readonly RawLine[], depth: number): LogLine[] {
  const alone = (own: readonly RawLine[]): LogLine[] =>
    reading(
      file,
      own.flatMap(({ number, text }) => recordOf(number, text)),
      depth + 1,
    );
  const named = peeled(file, raw);
  attachBare(named);
  if (hasWriters(named) && depth < MAX_DEPTH) return eachAlone(attached(named), alone);
  const lines = peeled(file, unquote(raw));
  applyLearned(lines);
  attachBare(lines);
  if (hasWriters(lines) && depth < MAX_DEPTH) return eachAlone(attached(lines), alone);
  const whole = withWholeJson(lines);
  for (const line of whole) nameWriter(line);
  return unwrapped(withWholeRecords(whole));
}

const peeled = (file: string, raw: readonly RawLine[]): Line[] =>
  raw.map((one, index) => ({ ...fromRaw(file, one), index }));

const hasWriters = (lines: readonly Line[]): boolean => lines.some(({ stream }) => stream !== '');

function fromRaw(file: string, { number, text, prefix }: RawLine): Line {
  const { stream, width, spaced, ...rest } = peel(prefix === undefined ? text : prefix + text);
  const own = prefix === undefined ? width : width - prefix.length;
  return {
    file,
    number,
    ...rest,
    writer: stream,
    stream,
    width: own,
    spaced,
    index: 0,
    isBare: stream === '',
  };
}

function applyLearned(lines: Line[]): void {
  const learned = learnPrefixes(lines.map(({ text }) => text));
  if (learned.length === 0) return;
  for (const line of lines) {
    const found = learned.find(({ form }) => form.test(line.text));
    if (found === undefined) continue;
    const [head = ''] = found.form.exec(line.text) ?? [];
    line.text = line.text.slice(head.length);
    // What an unknown prefix hides, a known one may follow.
    const inner = peel(line.text);
    line.text = inner.text;
    if (inner.program !== undefined) line.program = inner.program;
    line.time ??= inner.time as NonNullable<Line['time']>;
    if (line.time === undefined) delete line.time;
    line.stream = [line.stream, found.writer, inner.stream].filter((part) => part !== '').join(' ');
    line.isBare = line.stream === '';
  }
}

/** kubeadm's own sentence on the kubelet's health, broken behind the command. */
const HEALTH_CALL = /^\s*\[kubelet-check\] The HTTP call equal to .*'$/;

/** A record of the kubelet's that a person has broken goes on within its quotation, or with the next `name="`. */
function withWholeRecords(lines: Line[]): Line[] {
  const whole: Line[] = [];
  /** By the stream of what follows: the record and how many pieces it has. */
  const open = new Map<string, { record: Line; pieces: number }>();
  for (const line of lines) {
    const { text, program } = line;
    const before = open.get(line.stream);
    if (before !== undefined && continues(before.record.text, text) && before.pieces < MAX_PIECES) {
      before.record.text = `${before.record.text} ${text.replace(MARGIN, '').trim()}`;
      before.pieces += 1;
      continue;
    }
    whole.push(line);
    if (!HEALTH_CALL.test(text) && (program !== 'kubelet' || !(KLOG.test(text) || KUBELET_SAYS.test(text)))) {
      open.delete(line.stream);
      continue;
    }
    const record = { record: line, pieces: 1 };
    open.set(line.stream, record);
    // Its own way of writing, or its bare name, said whose it is; what was broken off has nothing of that.
    open.set(line.stream.replace(/ ?(?:kubelet|\/kubelet\[\])$/, ''), record);
  }
  return whole;
}

/** A record in JSON that a terminal or a mail program has wrapped; its first piece alone does not name its writer. */
function withWholeJson(lines: readonly Line[]): Line[] {
  const whole: Line[] = [];
  for (let at = 0; at < lines.length; at++) {
    const [first, ...rest] = lines.slice(at, at + MAX_PIECES);
    if (first === undefined) break;
    const isOpen = /^\{"/.test(first.text) && !/\}$/.test(first.text);
    const end = isOpen ? rest.findIndex(({ text }) => isHead(text) || /\}$/.test(text)) : -1;
    const pieces = end >= 0 && !isHead(rest[end]?.text ?? '') ? rest.slice(0, end + 1) : [];
    const isCut = pieces.slice(0, -1).every(({ width }) => width === first.width);
    const glue = isCut && !first.spaced ? '' : ' ';
    whole.push({ ...first, text: [first, ...pieces].map(({ text }) => text).join(glue) });
    at += pieces.length;
  }
  return whole;
}

const continues = (record: string, text: string): boolean =>
  !isHead(text) && !isCutOff(record) && (/^\s*\w+="/.test(text) || isUnfinished(record));

/** What has no prefix goes on with what has one; the rest is read by itself. */
function attached(lines: Line[]): Line[] {
  const isMixed = (own: readonly Line[]): boolean =>
    own.some(({ isBare }) => !isBare) && own.some(({ isBare, text }) => isBare && text !== '');
  return inOrder(lines, (own) => (isMixed(own) ? (unwrap(own) as Line[]) : own)).map((line) => ({
    ...line,
    writer: line.stream,
  }));
}

const unwrapped = (lines: Line[]): LogLine[] =>
  inOrder(lines, (own) => unwrap(own) as Line[]).map(
    ({ index: _, isBare: __, width: ___, spaced: ____, ...line }) => line,
  );

function inOrder(lines: Line[], joined: (stream: Line[]) => Line[]): Line[] {
  for (const [index, line] of lines.entries()) line.index = index;
  return [...linesBy('stream', lines).values()].flatMap(joined).sort((a, b) => a.index - b.index);
}
