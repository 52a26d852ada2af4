/**
 * What a writer wrote is read as if it stood alone, whoever wrote between its lines: quoted, escaped or wrapped before a
 * logger put its prefix in front. What has no prefix belongs to the line before it, or is a text of its own.
 */
import { isCutOff, isUnfinished } from '../patterns/continued.ts';
import { isCertain } from './certain.ts';
import { type LogLine, linesBy, type RawLine } from './line.ts';
import {
  BEGIN,
  COMMAND,
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
import { WIDEST, type WidthLine } from './unwrap.ts';
import { MARGIN, OF_CONTAINER } from './writer.ts';

/** Its place is that among all lines. */
export interface Line extends WidthLine {
  index: number;
}

type Read = (raw: readonly RawLine[]) => LogLine[];

/** @param read Reads the lines of one writer, whose prefixes are gone. */
export function eachAlone(lines: readonly Line[], read: Read): LogLine[] {
  const placed = lines.map((line, place) => ({ line, place, writer: line.writer }));
  return [...linesBy('writer', placed).values()]
    .flatMap((own) => again(own, read))
    .sort((a, b) => a.place - b.place)
    .map(({ line }) => line);
}

interface Placed<T extends LogLine> {
  line: T;
  /** Among all lines. */
  place: number;
}

function again(own: readonly Placed<Line>[], read: Read): Placed<LogLine>[] {
  const outer = new Map(own.toReversed().map((one) => [one.line.number, one]));
  const raw = own.map(({ line: { number, text, spaced } }) => ({ number, text: spaced ? `${text} ` : text }));
  let place = 0;
  return read(raw).map((inner) => {
    const from = outer.get(inner.number);
    if (from === undefined) return { line: inner, place };
    // A result's output is read before its error, though the error stands first.
    place = Math.max(place, from.place);
    const { writer, program = inner.program, time = inner.time } = from.line;
    const line = { ...inner, writer: joined(writer, inner.writer), stream: joined(writer, inner.stream) };
    if (program !== undefined) line.program = inner.program ?? program;
    // A logger tells the zone too.
    if (time !== undefined) line.time = time;
    return { line, place };
  });
}

const joined = (...parts: string[]): string => parts.filter((part) => part !== '').join(' ');

/**
 * In a log whose lines have prefixes, one without continues the line before it: it was wrapped, or a program wrote several
 * lines at once. Where those without are a text of their own, only a record that somebody has broken goes on in them.
 */
export function attachBare(lines: Line[]): void {
  const bare = lines.filter(({ isBare }) => isBare).length;
  if (bare === lines.length || bare === 0) return;
  const isText = areText(lines);
  // The hint alone ends the error before it, and has no prefix where a program wrote both at once.
  const runs = isText || !onlyHints(lines) ? undefined : streamsOfRuns(lines);
  let run = '';
  let before: Line | undefined;
  /** Others may have written between its two halves. */
  let open: Line | undefined;
  for (const line of lines) {
    if (line.isBare && OF_CONTAINER.test(line.text)) continue;
    if (!line.isBare || before === undefined) {
      before = line;
      if (runs?.has(line.stream) === true) run = line.stream;
      if (hasOpenQuotation(line.text) && !(isText && (line.isBare || !KLOG.test(line.text)))) open = line;
      continue;
    }
    const isOpen = open !== undefined && line.index - open.index <= MAX_PIECES;
    if (isText && (!isOpen || isHead(line.text))) continue;
    if (runs !== undefined && HINT.test(line.text)) {
      line.stream = run;
      continue;
    }
    const from: Line = open !== undefined && isOpen ? open : before;
    line.stream = from.stream;
    // What quotes kubeadm is not said to be another program's for standing behind its line.
    if (from.program !== undefined && !ERROR_WITHIN.test(line.text)) line.program = from.program;
    if (hasOpenQuotation(line.text)) open = undefined;
  }
}

/** Are the lines without a prefix kubeadm's, or a person's, and not parts of those that have one? */
function areText(lines: readonly Line[]): boolean {
  if (onlyHints(lines)) return false;
  // Wrapped at a word, the rest of a phase's error begins as a line of kubeadm's does.
  const isOwn = (line: Line): boolean => {
    const text = line.text.replace(MARGIN, '');
    return line.isBare && !FATAL_FINDINGS.test(text) && OWN.some((own) => own.test(text));
  };
  // Where a line that kubeadm logs was wrapped, the rest may begin as a step does.
  const runs = new Set(
    lines.filter(({ isBare, text }) => !isBare && BEGIN.test(text)).map(({ stream }) => stream),
  );
  const prefixed = lines.filter((line) => runs.has(line.stream) && isCertain(line)).length;
  if (lines.filter(isOwn).length > prefixed || areApart(lines)) return true;
  // Where there is only a part of an error, nothing else may tell whose lines these are.
  const isPrefixed = lines.some((line) => !line.isBare && isCertain(line));
  return !isPrefixed && lines.some(({ isBare, text }) => isBare && OWN_ERROR.test(text));
}

function onlyHints(lines: readonly Line[]): boolean {
  const bare = lines.filter(({ isBare, text }) => isBare && text !== '');
  return bare.length > 0 && bare.every(({ text }) => HINT.test(text));
}

/** Of those that have a prefix, the ones in which kubeadm is called or speaks. */
const streamsOfRuns = (lines: readonly Line[]): Set<string> =>
  new Set(
    lines
      .filter(
        (line) =>
          !line.isBare && (isCertain(line) || COMMAND.test(line.text) || ERROR_WITHIN.test(line.text)),
      )
      .map(({ stream }) => stream),
  );

const OWN = [BEGIN, PROGRESS, PHASE_ERROR, HINT, FINDING];

/** journald writes the further lines of a message below its first word. */
const ALIGNED = 16;
const indentOf = (text: string): number => text.length - text.trimStart().length;

/** Begin most of them something, so that others have written between them? No terminal has cut off what stands before them. */
function areApart(lines: readonly Line[]): boolean {
  const widest = lines.reduce((most, { width, isBare }) => (isBare ? most : Math.max(most, width)), 0);
  const usual = Math.min(usualIndent(lines), ALIGNED);
  let parts = 0;
  let wholes = 0;
  for (const [index, { isBare, text }] of lines.entries()) {
    const before = lines[index - 1];
    if (isBare && text.length > widest + ALIGNED) return true;
    if (!isBare || text === '' || before === undefined || before.text === '') continue;
    const [word = ''] = text.split(/\s/, 1);
    const isFull = before.width <= WIDEST && before.width + 1 + word.length > widest;
    if (isFull || indentOf(text) > usual || isUnfinished(before.text)) parts += 1;
    else wholes += 1;
  }
  return wholes > parts;
}

/** The indentation that most lines without a prefix share; somebody may have indented them all. */
function usualIndent(lines: readonly Line[]): number {
  const times = new Map<number, number>();
  for (const { isBare, text } of lines)
    if (isBare && text !== '') times.set(indentOf(text), (times.get(indentOf(text)) ?? 0) + 1);
  return [...times].reduce((most, one) => (one[1] > most[1] ? one : most), [0, 0])[0];
}

/** More pieces has no record of klog's that somebody has broken. */
export const MAX_PIECES = 12;

const hasOpenQuotation = (text: string): boolean =>
  !isCutOff(text) && ((text.replaceAll('\\"', '').match(/"/g)?.length ?? 0) & 1) === 1;
