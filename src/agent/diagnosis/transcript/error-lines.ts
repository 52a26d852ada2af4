/**
 * Which lines belong to an error of kubeadm. Other programs may write between them, also without a prefix: so a line
 * belongs only where something says so, a marker, its indentation, or the line before, which is not at its end.
 */
import { continuesFinding, isUnfinished } from '../patterns/continued.ts';
import type { LogLine } from './line.ts';
import {
  ADVICE,
  BEGIN,
  CHATTER,
  ERROR_FINDING,
  ETCD_JSON,
  FENCE,
  FINDING,
  FRAME_FILE,
  HINT,
  KLOG,
  OTHER_COMMAND,
  OTHERS,
  OWN_ERROR,
  PHASE_ERROR,
  PLAIN_ERROR,
  PROGRESS,
} from './sentences.ts';
import { GOES_ON, NARROWEST } from './unwrap.ts';

const MAX_ERROR = 1_000;
/** So many lines may stand between two frames of one error's stack traces: the messages of the wrapping errors. */
const MAX_GAP = 40;
/** An error before the first phase (command line, configuration) is this many lines at most. */
const MAX_EARLY = 8;
/** What a program printed whose output a finding repeats, in lines. */
const MAX_REPEATED = 30;

interface ErrorLines {
  /** Index behind the last line. */
  end: number;
  /** The lines until there that are the error's. */
  members: Set<number>;
  /** The members that go on with the sentence of the member before them. */
  continued: Set<number>;
}

export function errorAt(lines: readonly LogLine[], start: number): ErrorLines {
  const end = endOf(lines, start);
  const members = new Set<number>([start]);
  const continued = new Set<number>();
  let last = lines[start]?.text ?? '';
  let finding = ERROR_FINDING.test(last) ? 1 : 0;
  let paragraphs = !finding && /: *$/.test(last) ? MAX_EARLY * 2 : 0;
  for (let at = start + 1; at < end; at++) {
    const text = lines[at]?.text ?? '';
    if (text.trim() === '') continue;
    if (FENCE.test(text)) {
      paragraphs = 0;
      last = '';
      finding = 0;
      continue;
    }
    const isMarked =
      FINDING.test(text) ||
      PHASE_ERROR.test(text) ||
      HINT.test(text) ||
      CHATTER.test(text) ||
      /^\[preflight\] Some/.test(text);
    if (isMarked) {
      finding = FINDING.test(text) ? 1 : 0;
      if (/: *$/.test(text) && PHASE_ERROR.test(text)) paragraphs = MAX_EARLY * 2;
    } else if (KLOG.test(text) || ETCD_JSON.test(text)) {
      // What kubeadm logs belongs to the same stream, but is no part of the sentence.
      members.add(at);
      continue;
    } else if (PROGRESS.test(text) || OTHERS.test(text)) continue;
    else if (finding > 0 && !isFrame(lines, at)) {
      const isOwn = continuesFinding(last, text) || (goesOn(last, text) && hasHint(lines, at));
      if (!isOwn || finding > MAX_REPEATED) continue;
      finding += 1;
    } else if (isOfTrace(lines, at, end)) {
      members.add(at);
      continue;
    } else if (
      paragraphs > 0 ||
      isUnfinished(last) ||
      /^\s+\S/.test(text) ||
      saysWhy(last, text) ||
      (goesOn(last, text) && hasHint(lines, at))
    ) {
      paragraphs -= 1;
      continued.add(at);
    } else continue;
    members.add(at);
    last = finding > 1 ? `${last}\n${text}` : text;
  }
  return { end, members, continued };
}

/** Somebody has put the reason on a line of its own. */
const saysWhy = (last: string, text: string): boolean => BARE_PHASE.test(last) && TIME_IS_OVER.test(text);
const TIME_IS_OVER = /^(?:timed out waiting for the condition|context deadline exceeded)$/;

const PHASE_NAME = /^\s*(?:error: )?error execution phase ([\w/-]+)/;

/** In front of a list of findings, as each release has written it. */
const FINDINGS_HEAD =
  /^\s*(?:(?:error: )?error execution phase preflight: )?\[preflight\] Some fatal errors occurred:/;

/** A message with its stack trace, or a frame of one: a function's name, then its file on an indented line. */
function isOfTrace(lines: readonly LogLine[], at: number, end: number): boolean {
  return isFrame(lines, at) || beginsTrace(lines, at, end);
}

const isFrame = (lines: readonly LogLine[], at: number): boolean =>
  lines.slice(at, at + 2).some(({ text }) => FRAME_FILE.test(text));

/** The first of kubeadm's functions in a trace that is cut off there. */
const CUT_FRAME = /^k8s\.io\/kubernetes\/cmd\/kub[\w/.()*]*$/;
/** With `--v` the phase comes after the cause, and its own frames after it, where nobody has cut them off. */
const BARE_PHASE = /^(?:error: )?error execution phase [\w/-]+$/;

/** A message whose stack trace follows soon, before the index `end`. */
export function beginsTrace(lines: readonly LogLine[], at: number, end = lines.length): boolean {
  const text = lines[at]?.text ?? '';
  if (/^\s|^$/.test(text) || ADVICE.test(text) || PROGRESS.test(text) || OTHERS.test(text) || KLOG.test(text))
    return false;
  const after = lines.slice(at + 1, Math.min(at + 12, end));
  const file = after.findIndex((one) => FRAME_FILE.test(one.text));
  if (file < 0 && CUT_FRAME.test(lines[at + 1]?.text ?? '')) return isBlankFrom(lines, at + 2);
  if (file < 1) return false;
  return after
    .slice(0, file - 1)
    .every((one) => !KLOG.test(one.text) && !PROGRESS.test(one.text) && !ADVICE.test(one.text));
}

/** Without a copy of the rest, of which a log full of such lines would make one for each. */
function isBlankFrom(lines: readonly LogLine[], start: number): boolean {
  for (let at = start; at < lines.length; at++) if (lines[at]?.text.trim() !== '') return false;
  return true;
}

/** What ends an error: kubeadm's hint, the last frame of its stack trace, the next attempt, another phase's error, another command. */
function endOf(lines: readonly LogLine[], start: number): number {
  const ahead = lines.slice(start, start + MAX_ERROR);
  const [, phase] = PHASE_NAME.exec(ahead[0]?.text ?? '') ?? [];
  const isNext = (text: string): boolean => {
    const [, other] = PHASE_NAME.exec(text) ?? [];
    return phase !== undefined && other !== undefined && other !== phase;
  };
  const found = ahead.findIndex(({ text }) => ERROR_FINDING.test(text));
  /** One run has one list of findings: somebody quotes the next run without its end and its beginning. */
  const isNextList = (text: string, index: number): boolean =>
    found >= 0 && index > found && FINDINGS_HEAD.test(text);
  const next = ahead.findIndex(
    ({ text }, index) =>
      index > 0 && (BEGIN.test(text) || OTHER_COMMAND.test(text) || isNext(text) || isNextList(text, index)),
  );
  const within = next < 0 ? ahead : ahead.slice(0, next);
  const hint = within.findIndex(({ text }) => HINT.test(text));
  if (hint >= 0) return start + hint + 1;
  let last = 0;
  for (const [index, { text }] of within.entries()) {
    if (index - last > MAX_GAP) break;
    if (FRAME_FILE.test(text)) last = index;
  }
  if (last > 0) return start + last + (BARE_PHASE.test(ahead[last + 1]?.text ?? '') ? 2 : 1);
  // Cut off: what is marked as the error's, and what these lines leave open.
  const marked = within.findLastIndex(
    ({ text }, index) =>
      index <= MAX_GAP && (FINDING.test(text) || PHASE_ERROR.test(text) || CHATTER.test(text)),
  );
  return start + Math.min(Math.max(marked, 0) + MAX_EARLY * 2, within.length);
}

/** Other programs begin their errors like that too; kubeadm's hint follows soon. */
export function hasHint(lines: readonly LogLine[], index: number): boolean {
  const ahead = lines.slice(index + 1, index + MAX_GAP);
  const next = ahead.findIndex(({ text }) => BEGIN.test(text));
  return (next < 0 ? ahead : ahead.slice(0, next)).some(({ text }) => HINT.test(text));
}

/**
 * Of the lines before kubeadm's hint those that are the error: from the sentence that only kubeadm writes, else the last
 * line with what it continues.
 */
export function earlyError(before: readonly LogLine[]): LogLine[] {
  const near = before.slice(-MAX_GAP).filter(({ text }) => isProse(text));
  const start = near.findLastIndex(({ text }) => OWN_ERROR.test(text) || PLAIN_ERROR.test(text));
  if (start >= 0) {
    const [own, ...rest] = near.slice(start);
    if (own === undefined) return [];
    const more: LogLine[] = [];
    let last = own.text;
    for (const line of rest.slice(0, MAX_EARLY)) {
      if (!isUnfinished(last) && !/^\s+\S/.test(line.text) && !goesOn(last, line.text)) break;
      more.push(line);
      last = line.text;
    }
    return [own, ...more];
  }
  const found: LogLine[] = [];
  for (const line of near.slice(-MAX_EARLY).reverse()) {
    const next = found[0]?.text ?? '';
    if (found.length > 0 && !isUnfinished(line.text) && !/^\s+\S/.test(next) && !goesOn(line.text, next))
      break;
    found.unshift(line);
  }
  return found;
}

/** Of an error of a few lines nobody can tell at which width it was wrapped. */
const goesOn = (line: string, next: string): boolean => line.length > NARROWEST && GOES_ON.test(next);

/** No progress, no advice, nobody else's line. */
const isProse = (text: string): boolean =>
  text.trim() !== '' &&
  !PROGRESS.test(text) &&
  !KLOG.test(text) &&
  !ETCD_JSON.test(text) &&
  !ADVICE.test(text) &&
  !OTHERS.test(text) &&
  !/^(?:# |\$ |Usage:|\s+- )|kubeadm cannot validate/.test(text);
