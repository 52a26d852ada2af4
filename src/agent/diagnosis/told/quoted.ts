/**
 * An error within a sentence: who has it now asks, says what he gets, or writes little else. What remains tells of others, of
 * what has been, or of what may come; on such prose alone nobody is told that something has failed.
 */
import { ERROR_WITHIN, KLOG, PROGRESS } from '../transcript/sentences.ts';

/** So many words in front of an error make a sentence; a label such as `Error:` or the name of a machine has fewer. */
const SENTENCE = 2;
/** Who writes it meets it, in the languages in which people ask. */
const SEES =
  /\b(?:i|we|he|she)(?:'m| am|'re| are|'ve| have| keep| always| still| now| only| just)* (?:get(?:ting)?|got|see(?:ing)?|receiv(?:e|ing|ed)|fac(?:e|ing|ed)|encounter(?:ing|ed)?|hit(?:ting)?|run(?:ning)? into|stuck|tr(?:y|ied|ying)|ran)\b|\b(?:getting|gives? me|gave me|throws|receiving|stuck (?:at|on|with)|what i)\b/i;
const SAYS =
  /(?:^|[.!,:;]\s*|\b(?:and|but|then|now|when|the|my|our|this|second|third|one|new|every|each|kubeadm) )(?:it|kubeadm|join|init|worker|node|master|machine|vm|server|command|playbook|control[ -]plane(?: node)?|cluster|kubeadm (?:join|init))(?: always| still| now| only| just| then)? (?:says|fails|ends|prints|shows|reports|gives|returns|stops|hangs|complains|dies|exits|tells|errors)\b/i;
const SEES_ELSEWHERE =
  /报错|提示|出现(?:错误|如下)|получаю|выдает|выдаёт|ошибк|\b(?:kommt|bekomme|erhalte|meldet|scheitert)\b|j'obtiens|\bj'ai\b|échoue|me (?:da|sale|aparece)|\berro\b|에러|오류|エラー|失敗/i;
/** A program's line around it, which is no sentence of a person's. */
const LOGGED =
  /^\W*(?:\d{4}-\d\d|\d{1,2}:\d\d|time=|level=|err(?:or)?\b|fatal\b|fail(?:ed|ure)\b|warn(?:ing)?\b)|\b(?:err|error|msg|stderr|stdout|log|message|failed)\W{0,3}[:=] ?[\\"]{0,4}$/i;
/** The sentence may have begun on the line before. */
const OPENED = /^\s*["`'«“]\s*$/;
/** Such a part of all that is written is the error itself: the title of an issue, or a message that holds nothing else. */
const MOST = 0.5;
/** What has more lines is no title. */
const FEW = 4;
const LONGEST_TITLE = 110;

/** @param texts Without empty lines. */
export function isOnlyQuoted(texts: readonly string[]): boolean {
  const errors = texts.flatMap((text, at) => {
    const found = ERROR_WITHIN.exec(text);
    if (found === null) return [];
    const before = text.slice(0, found.index);
    const above = texts[at - 1] ?? '';
    const isWrapped = OPENED.test(before) && /[^.:!?：。]$/.test(above.trimEnd());
    const isOwn = PROGRESS.test(text) || KLOG.test(text) || LOGGED.test(before);
    return [{ text, before, isWithin: !isOwn && isSentence(isWrapped ? above : before) }];
  });
  if (errors.length === 0 || !errors.every(({ isWithin }) => isWithin)) return false;
  if (texts.some((text) => SEES.test(text) || SAYS.test(text) || SEES_ELSEWHERE.test(text))) return false;
  const all = texts.reduce((sum, text) => sum + text.length, 0);
  const said = errors.reduce((sum, { text, before }) => sum + quoted(text, before), 0);
  return texts.length > FEW || said < all * MOST || all - said > LONGEST_TITLE;
}

/** `the join: `, `Error from the second node: "`. */
const LABEL = /[:：]\s{0,4}["`'«“]?$/;
const LONGEST_LABEL = 5;

const isSentence = (before: string): boolean =>
  !(LABEL.test(before.trimEnd()) && before.trim().split(/\s+/).length <= LONGEST_LABEL) &&
  (before.match(/\p{L}{2,}/gu)?.length ?? 0) >= SENTENCE;

/** Up to the last mark that closes the quotation, if one opens it. */
function quoted(text: string, before: string): number {
  const rest = text.slice(before.length);
  const end = /[`"'«“]\s*$/.test(before)
    ? Math.max(...['`', '"', "'"].map((mark) => rest.lastIndexOf(mark)))
    : -1;
  return end < 0 ? rest.length : end;
}
