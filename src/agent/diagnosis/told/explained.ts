/** An error that a sentence around it explains, or announces to the reader. */
import { ADVICE, ERROR_WITHIN, PROGRESS } from '../transcript/sentences.ts';

/** In front of it: what the reader may meet. Who tells what he does himself has seen it. */
const ANNOUNCED =
  /\byou(?:'ll| (?:may|might|will|can|could|would|should|often|sometimes))\b|\b(?:may|might|can) (?:encounter|see|get|fail|print|show|end)\b|\botherwise\b|^[\s#>*-]*(?:sometimes|should (?:the|a|it|this)|in case)\b/i;
const CONDITION = /^[\s#>*|-]*(?:\d+[.)] )?if\b.*[^.!?]\s*$/i;
/** The same in other languages, without a word on oneself. */
const ELSEWHERE = /^[\s#>*|-]*(?:wenn|falls|sollte|如果|若|если|si|もし)(?![a-zà-ÿа-я])/i;
const ONESELF =
  /\b(?:I|my|me|we|our|us|ich|mir|mein\w*|wir|uns\w*|je|j'|mon|nous|yo|mi|nos)\b|我|у (?:меня|нас)|私/;
/** Behind it: what it means, whenever it comes. */
const MEANS =
  /\b(?:this|the|that|such an?) (?:error|message|problem|issue|warning)s? (?:(?:usually|typically|often|generally|normally|simply|just) )?(?:means?|indicates?|comes? from|occurs?|happens?|appears?|is (?:usually|typically|often|generally|shown|printed|caused|raised))\b|^this is because\b|\bthis (?:usually|typically|often|normally|generally|just|simply) (?:means|indicates|happens|occurs)\b/i;
/** A comment behind a command. */
const REMARK = /^[^\s#][^#]*[ \t]#+ /;
/** What kubeadm itself says to the reader. */
const ITS_OWN = /you can make a check non-fatal/;
/** So far around it, empty lines apart. */
const [ABOVE, BELOW] = [2, 6];

/** Are all errors in it such? @param all Without empty lines. */
export function isExplained(all: readonly string[]): boolean {
  const texts = all.filter((text) => ![ADVICE, PROGRESS, ITS_OWN].some((own) => own.test(text)));
  const errors = texts.flatMap((text, at) => (ERROR_WITHIN.test(text) ? [at] : []));
  return errors.length > 0 && errors.every((at) => isExplainedAt(texts, at));
}

function isExplainedAt(texts: readonly string[], at: number): boolean {
  const text = texts[at] ?? '';
  const before = text.slice(0, ERROR_WITHIN.exec(text)?.index ?? 0);
  const above = texts.slice(Math.max(0, at - ABOVE), at).filter((line) => !ERROR_WITHIN.test(line));
  const isAnnounced = [...above, before].some(
    (line) => (ANNOUNCED.test(line) || (line === before && ELSEWHERE.test(line))) && !ONESELF.test(line),
  );
  const condition = before.trim() === '' ? (above.at(-1) ?? '') : before;
  return (
    isAnnounced ||
    REMARK.test(before) ||
    (CONDITION.test(condition) && !ONESELF.test(condition)) ||
    texts.slice(at, at + BELOW).some((line) => MEANS.test(line) && !ONESELF.test(line))
  );
}
