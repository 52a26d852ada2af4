/**
 * Prefixes that are in no list: learnt from what stands in front of kubeadm's own sentences. Digits in them may differ
 * from line to line. A whole output that somebody has indented is one too.
 */
import { peel } from './prefix.ts';
import { OWN_ERROR_WITHIN } from './sentences.ts';

interface LearnedPrefix {
  form: RegExp;
  /** What names the writer; empty where it does not tell one from another. */
  writer: string;
}

/** Sentences that kubeadm never indents. */
const ANCHOR =
  /\[preflight\] (?:Running pre-flight checks|Pulling images required|Reading configuration from|Some fatal errors occurred)|\[init\] Using Kubernetes version: |To see the stack trace of this error execute with --v=5|(?:error: )?error execution phase |\[kubelet-start\] (?:Starting|Writing) |\[certs\] Using certificateDir|\[kubelet-check\] |\[control-plane\] |\[wait-control-plane\] |(?<=[^\s\]:] *)\[ERROR [A-Z][\w./\\-]+\]: /;
/** Where none of them is there: how the kubelet ends, and errors of kubeadm that no phase stands in front of. */
const LONE = new RegExp(
  `[EF]\\d{4} [\\d:.]{15} +\\d+ (?:run|server)\\.go:\\d+\\] |${OWN_ERROR_WITHIN.source}`,
);
/** In front of these only a margin and a name are a prefix: what else stands there may be a part of the sentence. */
const NAME = /^(?=.)(?:==> )?[\s#>*-]*(?:[\w.-]{1,40}: )?$/;
const LONGEST = 120;
/** Another subcommand's step, klog's head, which ends with a bracket, and a quoted or escaped text are no prefix, nor is an assignment, a field or a table's cell. */
const NO_PREFIX =
  /\[(?:upgrade|reset)[\]/]|\[ERROR |\[preflight\] |error execution |\.go:\d+\] $|= ?`$|[:|]\s+`|["'\\]|[^\s:|>\])#*`[_-]$/;
/** Two words in a row, or one at its end: somebody's sentence, but where a program says that something failed. */
const PROSE =
  /^(?!\W*(?:error|fatal|failed|failure)\b[^.!?`]*: $).*(?:\p{L}{2}[.,]? \p{L}{2}|[\p{Lo}]{2}|\p{L} +$)/iu;
const COMMENT = /^\s*(?:#|\/\/)/;
/** An editor's line numbers. */
const NUMBER = /^\s*\d+$/;
/** More lines than this tell nothing new. */
const ENOUGH = 40;

export function learnPrefixes(texts: readonly string[]): LearnedPrefix[] {
  const found = new Map<string, number>();
  const isLone = !texts.some((text) => ANCHOR.test(text));
  let anchors = 0;
  for (const text of texts) {
    const match = (isLone ? LONE : ANCHOR).exec(text);
    if (match === null) continue;
    anchors += 1;
    if (match.index === 0 || match.index > LONGEST) continue;
    const prefix = withoutKnown(text.slice(0, match.index));
    if (prefix === '' || (isLone && !NAME.test(prefix))) continue;
    if (prefix.trim() !== '' && NO_PREFIX.test(prefix) && !NUMBER.test(prefix)) continue;
    const key = prefix.replace(/\d+/g, '0');
    found.set(key, (found.get(key) ?? 0) + 1);
    if (found.size > ENOUGH) break;
  }
  // In a script a comment may quote an error; a log that somebody has made comments of has nothing else.
  const areComments = texts.every((text) => text.trim() === '' || COMMENT.test(text));
  const all = [...found]
    .filter(([key, times]) => times > 1 || areComments || !/^\s*(?:#+|\/\/+)\s*$/.test(key))
    // Prose before one sentence is no prefix of a log.
    .filter(([key, times]) => times > 1 || (!PROSE.test(key) && (key.length < 24 || anchors < 3)))
    .sort(([a], [b]) => b.length - a.length);
  const named = all.filter(([key]) => key.trim() !== '').reduce((sum, [, times]) => sum + times, 0);
  return all
    .flatMap(([key]) => inBothForms(key))
    .map((key) => ({
      form: formOf(key),
      // Where some of kubeadm's lines have no prefix, having one is no sign of another writer.
      // Nor is a comment's or a list's mark.
      writer: named * 2 > anchors && /[^\W_]/.test(key) ? key.replace(/^==> |^\s+/, '').trim() : '',
    }));
}

/** Behind an unknown prefix may stand a known one, which names another writer. */
function withoutKnown(prefix: string): string {
  for (const { index } of prefix.matchAll(/(?<=\s)\S/g)) {
    const { text, program } = peel(prefix.slice(index));
    if (text.trim() === '' && program !== undefined) return prefix.slice(0, index);
  }
  return prefix;
}

/** packer writes what a build says as `==> name: `, and what a command prints as `    name: ` or the other way round. */
function inBothForms(key: string): string[] {
  const [, name] = /^(?:==> | {4})([\w.-]+: )$/.exec(key) ?? [];
  return name === undefined ? [key] : [`==> ${name}`, `    ${name}`];
}

function formOf(key: string): RegExp {
  if (key.trim() === '') return new RegExp(`^${key.replaceAll('\t', '\\t')}`);
  const escaped = key.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('0', '\\d+');
  return new RegExp(`^${escaped.replace(/ $/, '(?: |(?=\\t)|$)')}`);
}
