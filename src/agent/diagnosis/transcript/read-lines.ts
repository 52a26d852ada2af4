/** From the text of a log file to its lines, each with the stream that it belongs to, wrapped ones put together. */
import { isUnfinished } from '../patterns/continued.ts';
import { isCertain } from './certain.ts';
import { learnPrefixes } from './learned-prefix.ts';
import type { LogLine, RawLine } from './line.ts';
import { peel } from './prefix.ts';
import {
  BEGIN,
  ERROR_WITHIN,
  FATAL_FINDINGS,
  FINDING,
  HINT,
  isHead,
  KLOG,
  OWN_ERROR,
  PHASE_ERROR,
  PROGRESS,
} from './sentences.ts';
import { unquote } from './unquote.ts';
import { unwrap, type WidthLine } from './unwrap.ts';
import { KUBELET_SAYS, MARGIN, nameWriter, OF_CONTAINER } from './writer.ts';

/** @param firstNumber Number of the first line, when `text` is only a part of the file. */
export function readLines(file: string, text: string, firstNumber = 1): LogLine[] {
  const lines = unquote(text, firstNumber).map((raw, index) => ({ ...fromRaw(file, raw), index }));
  applyLearned(lines);
  attachBare(lines);
  for (const line of lines) nameWriter(line);
  return unwrapped(withWholeRecords(lines));
}

interface Line extends WidthLine {
  /** Its place among all lines. */
  index: number;
}

function fromRaw(file: string, { number, text, prefix }: RawLine): Line {
  const { stream, width, spaced, ...rest } = peel(prefix === undefined ? text : prefix + text);
  const own = prefix === undefined ? width : width - prefix.length;
  return { file, number, ...rest, stream, width: own, spaced, index: 0, isBare: stream === '' };
}

function applyLearned(lines: Line[]): void {
  const learned = learnPrefixes(lines.map(({ text }) => text));
  if (learned.length === 0) return;
  for (const line of lines) {
    const found = learned.find(({ form }) => form.test(line.text));
    if (found === undefined) continue;
    line.text = line.text.replace(found.form, '');
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

/**
 * In a log whose lines have prefixes, one without continues the line before it: it was wrapped, or a program wrote several
 * lines at once. Where kubeadm's own lines have none, those without are kubeadm's.
 */
function attachBare(lines: Line[]): void {
  // Wrapped at a word, the rest of a phase's error begins as a line of kubeadm's does.
  const isOwn = ({ isBare, text }: Line): boolean =>
    isBare &&
    !FATAL_FINDINGS.test(text) &&
    (BEGIN.test(text) ||
      PROGRESS.test(text) ||
      PHASE_ERROR.test(text) ||
      HINT.test(text) ||
      FINDING.test(text));
  const bare = lines.filter(({ isBare }) => isBare).length;
  if (bare === lines.length) return;
  // Wrapped within what kubeadm logs, the rest may begin as a step does.
  const runs = new Set(
    lines.filter(({ isBare, text }) => !isBare && BEGIN.test(text)).map(({ stream }) => stream),
  );
  const prefixed = lines.filter((line) => runs.has(line.stream) && isCertain(line)).length;
  if (lines.filter(isOwn).length > prefixed) return;
  // Of a part of an error nothing else may tell whose the lines are.
  const isPrefixed = lines.some((line) => !line.isBare && isCertain(line));
  if (!isPrefixed && lines.some(({ isBare, text }) => isBare && OWN_ERROR.test(text))) return;
  let before: Line | undefined;
  /** Others may have written between its two halves. */
  let open: Line | undefined;
  for (const line of lines) {
    if (line.isBare && OF_CONTAINER.test(line.text)) continue;
    if (!line.isBare || before === undefined) {
      before = line;
      if (hasOpenQuotation(line.text)) open = line;
      continue;
    }
    const from: Line = open !== undefined && line.index - open.index <= MAX_PIECES ? open : before;
    line.stream = from.stream;
    // What quotes kubeadm is not said to be another program's for standing behind its line.
    if (from.program !== undefined && !ERROR_WITHIN.test(line.text)) line.program = from.program;
    if (hasOpenQuotation(line.text)) open = undefined;
  }
}

/** More pieces has no record of klog's that somebody has broken. */
const MAX_PIECES = 12;

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

const continues = (record: string, text: string): boolean =>
  !isHead(text) && (/^\s*\w+="/.test(text) || isUnfinished(record));

const hasOpenQuotation = (text: string): boolean =>
  ((text.replaceAll('\\"', '').match(/"/g)?.length ?? 0) & 1) === 1;

function unwrapped(lines: Line[]): LogLine[] {
  const streams = new Map<string, Line[]>();
  for (const [index, line] of lines.entries()) {
    line.index = index;
    const same = streams.get(line.stream);
    if (same === undefined) streams.set(line.stream, [line]);
    else same.push(line);
  }
  const whole = [...streams.values()].flatMap((stream) => unwrap(stream) as Line[]);
  return whole
    .sort((a, b) => a.index - b.index)
    .map(({ index: _, isBare: __, width: ___, spaced: ____, ...line }) => ({
      ...line,
      stream: `${line.file} ${line.stream}`,
    }));
}
