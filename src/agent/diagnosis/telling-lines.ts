/** Finds in the log the lines that a verdict rests on, so that a person can look them up. */

import type { Attempt } from './attempts/attempt.ts';
import { plain } from './causes/rule.ts';
import type { LogLine } from './transcript/line.ts';
import type { KubeadmFailure } from './words/classify.ts';

const MAX = 3;
/** Shorter lines ("}", "timeout") stand everywhere. */
const MIN_LENGTH = 12;

/**
 * @param lines The whole log: what the verdict rests on may be a line of the kubelet's.
 */
export function tellingLines(
  attempt: Attempt | undefined,
  failure: KubeadmFailure,
  lines: readonly LogLine[],
): LogLine[] {
  const error = attempt?.error ?? [];
  const wanted = [failure.evidence, ...(failure.lines ?? [])]
    .map(flat)
    .filter((text) => text.length >= MIN_LENGTH);
  const found = new Set<LogLine>();
  for (const text of wanted) {
    const line =
      error.findLast((one) => says(one, text)) ??
      attempt?.output.findLast((one) => says(one, text)) ??
      lines.findLast((one) => says(one, text));
    if (line !== undefined) found.add(line);
  }
  // Where kubeadm was verbose, the evidence is put together from the messages of several lines.
  if (found.size === 0) {
    for (const line of error) {
      const text = flat(line.text);
      if (text.length >= MIN_LENGTH && wanted.some((one) => one.includes(text))) found.add(line);
    }
  }
  if (found.size === 0) {
    for (const line of error.filter(({ text }) => text.trim() !== '').slice(-MAX)) found.add(line);
  }
  return [...found].sort((a, b) => lines.indexOf(a) - lines.indexOf(b)).slice(0, MAX);
}

/** Evidence is shortened and redacted: its beginning up to the first cut decides. */
function says({ text }: LogLine, wanted: string): boolean {
  const line = flat(plain(text));
  if (line.length < MIN_LENGTH) return false;
  const head =
    wanted
      .split(/…|\[redacted/)[0]
      ?.slice(0, 80)
      .trim() ?? '';
  return head.length >= MIN_LENGTH && line.includes(head);
}

const flat = (text: string): string => text.replace(/\s+/g, ' ').trim();
