/** Attempts whose error is not marked as one, or was cut off: what stands in for it. */
import { earlyError } from '../transcript/error-lines.ts';
import type { LogLine } from '../transcript/line.ts';
import { ADVICE, BEGIN, GAVE_UP, PROGRESS, UNHEALTHY, UNREACHED } from '../transcript/sentences.ts';
import type { Attempt } from './attempt.ts';

/** Up to 1.18 it prints that, from then on only where it is verbose. */
const NOT_DISCOVERED = /^(?:[IWE]\d{4} .*?\] )?\[discovery\] (Failed to (?:request|connect) .*)/;
/** What it could not do stands on the next line. */
const UNFORTUNATELY = /^\s*Unfortunately, /;
const KUBELET_CHECK = /^\s*\[kubelet-check\] /;

/** kubeadm has said on standard output that it gave up; its error was cut off. */
export function giveUp(attempt: Attempt): void {
  if (attempt.result !== 'unfinished') return;
  const at = attempt.output.findIndex(({ text }) => GAVE_UP.test(text));
  const unhealthy = attempt.output.filter(({ text }) => UNHEALTHY.test(text));
  unhealthy.push(...unreached(attempt));
  if (at < 0 && unhealthy.length === 0) return;
  attempt.result = 'failed';
  attempt.error.push(...unhealthy);
  if (at < 0) return;
  const why = UNFORTUNATELY.test(attempt.output[at]?.text ?? '') ? attempt.output[at + 1] : undefined;
  if (why !== undefined && /\S/.test(why.text) && !/^\s*- /.test(why.text) && !ADVICE.test(why.text))
    attempt.error.push(why);
}

/**
 * The last that an excerpt tells is what kubeadm could not reach: the kubelet's port, or the API server. An output that has
 * its beginning may be that of a kubeadm that still waits, and says so again.
 */
function unreached({ output, error }: Attempt): LogLine[] {
  if (output.some(({ text }) => BEGIN.test(text))) return [];
  const progress = output.filter(({ text }) => PROGRESS.test(text));
  const asked = [...error, ...progress].findLast(({ text }) => NOT_DISCOVERED.test(text));
  const goesOn = progress.some(
    ({ number, text }) => number > (asked?.number ?? 0) && !/^\[discovery\]/.test(text),
  );
  if (asked !== undefined && !goesOn) return [{ ...asked, text: asked.text.replace(NOT_DISCOVERED, '$1') }];
  const last = progress.findLastIndex(({ text }) => UNREACHED.test(text));
  const line = progress[last];
  const later = progress.slice(last + 1).some(({ text }) => !KUBELET_CHECK.test(text));
  return line === undefined || later ? [] : [line];
}

/** An error without "error execution phase" inside an attempt: the last lines that are no progress. */
export function moveTail(attempt: Attempt): void {
  const tail = earlyError(attempt.output);
  attempt.output = attempt.output.filter((line) => !tail.includes(line));
  attempt.error.push(...tail);
}
