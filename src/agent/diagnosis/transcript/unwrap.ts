/** Puts lines together again that a terminal, a pager or a person has wrapped. Works on the lines of one stream. */
import { isCutOff, isUnfinished } from '../patterns/continued.ts';
import type { LogLine } from './line.ts';
import { CHECKS, ERROR_FINDING, FENCE, isHead, OWN_ERROR, PHASE_ERROR } from './sentences.ts';

export interface WidthLine extends LogLine {
  /** Characters of the whole line, with its prefix. */
  width: number;
  /** It ended with a blank. */
  spaced: boolean;
  /** It has no prefix of its own. */
  isBare: boolean;
}

/** Wrapped to more than this, lines are as long as they are by themselves. */
export const WIDEST = 260;
export const NARROWEST = 40;
/** What terminals are set to; one wrapped line of such a width is enough to see it. */
const USUAL = [72, 76, 80, 100, 120, 132, 140, 160, 180, 200];
/** So many pieces make the longest line. */
const MAX_PIECES = 60;

export function unwrap(lines: readonly WidthLine[]): WidthLine[] {
  // Where some lines have a prefix, each of these begins something; what was wrapped has none.
  const isMixed =
    lines.some(({ isBare, text }) => isBare && text !== '') && lines.some(({ isBare }) => !isBare);
  const { limit, atWords } = wrapping(lines, isMixed);
  const whole: WidthLine[] = [];
  let last: WidthLine | undefined;
  /** The piece that was read last, whose width decides. */
  let piece: WidthLine | undefined;
  let pieces = 0;
  for (const line of lines) {
    const joins =
      last !== undefined &&
      piece !== undefined &&
      pieces < MAX_PIECES &&
      !(isMixed && !line.isBare) &&
      (!isHead(line.text) || (isMixed && isInError(last.text, line.text))) &&
      (limit !== undefined && isFull(piece, line, limit)
        ? true
        : BARE_FINDING.test(last.text) ||
          isBroken(last, piece, line, lines) ||
          (isMixed && isRest(piece, line)));
    if (joins && last !== undefined && piece !== undefined) {
      // A word that is longer than a line is cut in two wherever lines are wrapped at words.
      const isCut = piece.width === limit && (!atWords || !/\S\s/.test(piece.text.trim()));
      const glue =
        piece.spaced || !isCut || /^\s/.test(line.text) || areWords(piece.text, line.text) ? ' ' : '';
      last.text = `${last.text}${glue}${line.text.trim()}`;
      last.spaced = line.spaced;
      pieces += 1;
    } else {
      last = { ...line };
      whole.push(last);
      pieces = 1;
    }
    piece = line;
  }
  return whole;
}

/** Somebody has broken a finding behind its check's name. */
const BARE_FINDING = new RegExp(`^\\s*\\[ERROR (?:${CHECKS})[\\w./\\\\-]*\\]:\\s*$`);

/** Of what has prefixes each line has one: what has none is the rest of the line before it, where it reads so. */
const isRest = (piece: WidthLine, line: WidthLine): boolean =>
  line.isBare &&
  !isCutOff(piece.text) &&
  piece.width > NARROWEST &&
  /^\S/.test(line.text) &&
  GOES_ON.test(line.text);

interface Wrapping {
  /** The width at which the lines were wrapped; undefined where they were not. */
  limit?: number;
  /** They were wrapped between words. */
  atWords: boolean;
}

function wrapping(lines: readonly WidthLine[], isMixed: boolean): Wrapping {
  const widest = wrappingAt(Math.max(0, ...widthsOf(lines)), lines, isMixed);
  if (widest.limit !== undefined) return widest;
  // What is wrapped at words keeps an address whole that is longer than its lines.
  const sentences = lines.filter(({ text }) => /\S\s+\S/.test(text));
  return wrappingAt(Math.max(0, ...widthsOf(sentences)), lines, isMixed);
}

function wrappingAt(limit: number, lines: readonly WidthLine[], isMixed: boolean): Wrapping {
  if (limit < NARROWEST || limit > WIDEST) return { atWords: true };
  let exact = 0;
  let wrapped = 0;
  let isUsual = USUAL.includes(limit);
  let isOfError = false;
  for (const [index, line] of lines.entries()) {
    const next = lines[index + 1];
    if (next === undefined || isHead(next.text) || !isFull(line, next, limit)) continue;
    if (isMixed && !next.isBare) continue;
    // What is printed again and again is of one length by itself, and a sentence has an end.
    if (alike(line.text) === alike(next.text) || /[a-z]{3}\.$/.test(line.text)) continue;
    wrapped += 1;
    if (line.width === limit) exact += 1;
    // A prefix may have been put in front of what was wrapped already.
    if (line.width === limit && USUAL.includes(line.text.length)) isUsual = true;
    if (isErrorLine(line.text) && GOES_ON.test(next.text)) isOfError = true;
  }
  const isWrapped = wrapped >= 3 || exact >= 2 || (wrapped >= 1 && (isUsual || isOfError));
  if (!isWrapped) return { atWords: true };
  return { limit, atWords: exact < wrapped || (exact < 2 && !isUsual) };
}

/** An error may repeat a step's mark: `error execution phase certs/ca: [certs] certificate ...`. */
const isInError = (last: string, text: string): boolean =>
  PHASE_ERROR.test(last) && /: *$/.test(last) && /^\[[a-z-]+\] /.test(text);

const isErrorLine = (text: string): boolean =>
  PHASE_ERROR.test(text) || ERROR_FINDING.test(text) || OWN_ERROR.test(text);

/** How the rest of a sentence may begin; other programs' messages begin with a capital, or say what they are. */
const NAMES =
  'API|CA|CRI|CSR|DNS|HTTP|ID|IP|JSON|JWS|RBAC|TLS|URL|YAML|ConfigMap|ConfigMaps|GroupVersionKind|Kubernetes|Node|Pod|Secret|Server|User';
export const GOES_ON = new RegExp(
  `^\\s*(?:(?!(?:error|warning|warn|fatal|info|debug|notice)\\b)[a-z\\d"'(/[{\\\\.,:;=<>)\\]}-]|(?:${NAMES})\\b|[A-Z][a-z]+[A-Z])`,
);

const alike = (text: string): string => text.replace(/\d+/g, '0');

function widthsOf(lines: readonly WidthLine[]): number[] {
  // A spread of a whole log would overflow the stack: the widest of each thousand will do.
  const widest: number[] = [];
  for (const [index, { width }] of lines.entries()) {
    const part = Math.floor(index / 1_000);
    widest[part] = Math.max(widest[part] ?? 0, width);
  }
  return widest;
}

/** The next line's first word would not have fitted. */
function isFull(line: WidthLine, next: WidthLine, limit: number): boolean {
  const [word = ''] = next.text.trimStart().split(/\s/, 1);
  if (isCutOff(line.text) || (line.width <= NARROWEST / 2 && word.length <= limit / 2)) return false;
  return line.width + 1 + word.length > limit;
}

/** Words that stand often enough in kubeadm's errors to be whole ones at a line's end and beginning. */
const WORDS = new Set(
  'a address already an and api authority bootstrap apiserver are as at be because by can cannot certificate certificates cluster code command configmap config connect could desc dial does error failed file find for found from get has in is it line map master name no node nodes not of on or read request rpc run running server service signature status tcp that the this time timed to token unable unix use used valid version was with condition configuration container control creating endpoint exists expired forbidden image key keys kubelet label load loading manifest namespace plane private public pull resource signed socket static taints unknown waiting while writing'.split(
    ' ',
  ),
);

/** No longer word of kubeadm's begins with these. */
const WHOLE =
  /(?:^|[\s("])(?:and|from|that|was|are|because|could|does|failed|status|connection|unable|timed|found)$/;

function areWords(line: string, next: string): boolean {
  // A quotation that begins stands behind a blank.
  if (/^\s*"\S/.test(next) && /[A-Za-z]$/.test(line) && !/"[^"]*$/.test(line.replace(/"[^"]*"/g, '')))
    return true;
  if (WHOLE.test(line)) return true;
  // Behind a colon only addresses and hashes go on at once.
  if (/[A-Za-z")]:$/.test(line) && !/sha256:$/.test(line) && /^[A-Za-z]/.test(next)) return true;
  // A path goes on.
  if (/\/[^\s/]*[\w-]$/.test(line) && /^[a-z]/.test(next)) return false;
  const last = /(?<![A-Za-z])([A-Za-z]+)$/.exec(line)?.[1] ?? '';
  const first = /^([A-Za-z]+)/.exec(next)?.[1] ?? '';
  return WORDS.has(last.toLowerCase()) && (WORDS.has(first.toLowerCase()) || /^[A-Z]/.test(first));
}

/** A few lines show no width, but an error that stops within a quotation goes on. */
function isBroken(last: WidthLine, piece: WidthLine, next: WidthLine, lines: readonly WidthLine[]): boolean {
  if (!isErrorLine(last.text) || lines.length < 2 || piece.width <= NARROWEST) return false;
  // kubeadm leaves no blank at a line's end.
  if (piece.spaced && GOES_ON.test(next.text) && !/: *$/.test(last.text)) return true;
  return (isUnfinished(last.text) && !/: *$/.test(last.text)) || isFenced(piece, lines);
}

/** So many pieces has an error that somebody has wrapped in a text of his own. */
const MAX_FENCED = 5;

/** Is the rest of what Markdown quotes wide enough to be one sentence, which goes on from line to line? */
function isFenced(piece: WidthLine, lines: readonly WidthLine[]): boolean {
  const rest = lines.slice(lines.indexOf(piece) + 1, lines.indexOf(piece) + 1 + MAX_FENCED);
  const end = rest.findIndex(({ text }) => FENCE.test(text));
  const more = rest.slice(0, Math.max(end, 0));
  const isWide = ({ width }: WidthLine): boolean => width > NARROWEST + 10 && width <= 100;
  return (
    more.length > 0 &&
    [piece, ...more.slice(0, -1)].every(isWide) &&
    more.every(({ text }) => GOES_ON.test(text) && !isHead(text))
  );
}
