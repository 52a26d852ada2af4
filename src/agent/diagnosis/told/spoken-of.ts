/**
 * Does a text only speak of an error? A page explains it to whoever will meet it, a script expects it, somebody tells how he
 * has mended it. What kubeadm itself printed, with its steps or its last line, is a failure wherever it stands: this is asked
 * only of an error that stands alone.
 */
import type { LogLine } from '../transcript/line.ts';
import { ERROR_WITHIN } from '../transcript/sentences.ts';
import { isExplained } from './explained.ts';
import { hasLabels, isPage } from './guide.ts';
import { isKnownKind } from './kinds.ts';
import { isOnlyQuoted } from './quoted.ts';

/** A longer text is a log, or holds one. */
const MAX_LINES = 4000;
/** Where more lines than these are a program's, it is a log in which somebody wrote. */
const PROSE_SHARE = 0.5;
/** The form in which somebody reports a fault: what he quotes he has seen, whatever others answer. */
const REPORTS =
  /^[\s>#*_\d.)-]{0,12}(?:steps to reproduce|to reproduce|how to reproduce|expected behaviou?r|actual behaviou?r|what happened|what did you|what you expected|anything else we need|(?:is this a )?bug report)\b|\(use `?kubeadm version/i;
/** So does who asks, though not a page that asks in the reader's name. */
const ASKS =
  /^(?!\s*(?:\d+[.)]|[-*+]) ).*[?？]\s*$|\b(?:any (?:ideas?|help|hints?|suggestions?|thoughts)|(?:please|kindly|can (?:some|any)(?:one|body)) (?:help|advise|suggest)|help me|i(?:'m| am) (?:trying|getting|stuck|unable|facing|seeing)|how (?:can|do|should) (?:i|we))\b|求助|请问|怎么(?:解决|办|处理)|如何解决|求解|도와|ayuda|помогите|подскажите/i;
/** In what a page shows as commands: it asks nobody. */
const COMMENT = /^\s*# /;
const QUIZ = /^\W{0,8}(?:Q\d|[A-D][.)] )/;

/** Somebody tells that it is over. */
const OVER =
  /\bwork(?:s|ed|ing) (?:(?:fine|well|again|perfectly|properly) )?(?:now|again|afterwards)\b|\b(?:works|worked) (?:fine|perfectly)\b|\b(?:is|are|was|were|been|got|gets?|now) (?:now )?(?:fixed|solved|resolved)\b|\bfixed (?:it|that|this|by|the (?:issue|problem|error))\b|\b(?:solved|resolved) (?:it|that|this|by|the (?:issue|problem|error))\b|\bfor good\b|\b(?:has|have) not come back\b|\bthat was it\b|\bturned out\b|\bfor the record\b|\b(?:everything|all)\b.{0,30} (?:is|are|came|works?) (?:up|ready|fine|in|good|green|well)\b|已(?:经)?(?:解决|修复)|(?:解决|修复|修正)了|搞定|就(?:没有|不再出现)了|不再报错|问题解决|해결(?:됨|됐|했|되었|하였| ?완료)|정상적으로|解決し(?:た|まし)|修正し(?:た|まし)|(?:est|a été|sont) (?:corrigée?s?|résolue?s?)|\bbehoben\b|\bgelöst\b|(?:^|[^\p{L}])(?:решено|решена|исправлен[оа]?)/iu;
const NEAR = 14;
/** Of a machine and a program there are fewer. */
const FEW_WORDS = 3;
const NOT_OVER = /\b(?:not|never|still|no longer|hardly)\b|n't\b|没有?解决|未解决|nicht|\bpas\b|не\s/i;

/** Is the whole text such that an error alone in it is only spoken of? */
export function isOnlySpokenOf(all: readonly LogLine[]): boolean {
  const lines = all.filter(({ text }) => text.trim() !== '');
  if (lines.length > MAX_LINES) return false;
  const prose = lines.filter(({ program, time }) => program === undefined && time === undefined);
  if (prose.length < lines.length * PROSE_SHARE) return false;
  const texts = prose.map(asWritten);
  if (isKnownKind(texts)) return true;
  if (texts.some((text) => REPORTS.test(text))) return false;
  if (isPage(texts)) return true;
  const asks = (text: string, at: number): boolean =>
    ASKS.test(text) && !QUIZ.test(text) && !(at > 0 && COMMENT.test(text));
  if (texts.some(asks)) return false;
  return hasLabels(texts) || isExplained(texts) || isOnlyQuoted(texts) || texts.some(isOver);
}

/** What stands in front of an error in a sentence has been read as the prefix of a line. */
function asWritten({ text, writer, file }: LogLine): string {
  const before = writer.slice(file.length).trim();
  const words = before.match(/\p{L}+/gu)?.length ?? 0;
  return words >= FEW_WORDS && ERROR_WITHIN.test(text) ? `${before} ${text}` : text;
}

function isOver(text: string): boolean {
  const found = OVER.exec(text);
  return found !== null && !NOT_OVER.test(text.slice(Math.max(0, found.index - NEAR), found.index + NEAR));
}
