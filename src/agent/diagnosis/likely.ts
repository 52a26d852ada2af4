/**
 * What kubeadm most likely fails of, where the log ends before its error: what it tried again and again, and what the
 * kubelet and the control plane's containers said meanwhile. It is told as a guess and never as the verdict.
 */
import type { Attempt } from './attempts/attempt.ts';
import { explainKubeletEnd, explainKubeletRun } from './causes/explain-kubelet.ts';
import { explainStaticPods } from './causes/explain-static-pods.ts';
import { KUBELET_STARTED } from './causes/kubelet-signs.ts';
import { refined } from './diagnose.ts';
import type { Evidence } from './evidence/evidence.ts';
import { isVague, retriedCause } from './retried.ts';
import { PROGRESS } from './transcript/sentences.ts';
import { classify, type KubeadmFailure } from './words/classify.ts';

const HEALTH_CALL =
  /^\s*\[kubelet-check\] (?:The HTTP call equal to .*(?:failed with|returned) |It seems like the kubelet isn't running or healthy)/;
const WAITS = /^\[wait-control-plane\] Waiting for /;
/** What it says up to 1.29 when it has waited long, and nothing is wrong with the kubelet. */
const WAITED = /^\s*\[kubelet-check\] Initial timeout of \S+ passed/;
/** What it has verified of the machine; of the others it can do without. */
const VERIFIED = /^\[preflight\] The system verification failed\./;
const MISSING = /^CGROUPS_(?!HUGETLB|BLKIO|IO\b)(\w+): missing$/;
/** It goes on without. */
const TOLERATED = /^\s*\[WARNING SystemVerification\]: /;

export function likelyCause(
  { verb, output, error }: Attempt,
  evidence: Evidence,
): KubeadmFailure | undefined {
  const started = output.some(({ text }) => KUBELET_STARTED.test(text));
  const node = started
    ? (explainKubeletEnd(evidence) ??
      explainStaticPods(evidence) ??
      explainKubeletRun('KubeadmTimedOut', evidence))
    : undefined;
  const stdout = output.map(({ text }) => text).join('\n');
  const said = (stderr: string): KubeadmFailure | undefined => {
    const found = classify({ verb, stdout, stderr, exitStatus: 'unknown' });
    return isVague(found) ? undefined : found;
  };
  if (node !== undefined)
    return refined({ ...classify({ verb, stdout, stderr: '', exitStatus: 'unknown' }), lines: [] }, node);
  const missing = missingIn(output, error);
  const call = output.findLastIndex(({ text }) => HEALTH_CALL.test(text));
  const isWaiting = output
    .slice(call + 1)
    .every(({ text }) => !PROGRESS.test(text) || /^\[kubelet-check\] (?!The kubelet is healthy)/.test(text));
  return (
    retriedCause({ verb, output, error }) ??
    (missing.length === 0
      ? undefined
      : said(`\t[ERROR SystemVerification]: missing required cgroups: ${missing.join(' ')}`)) ??
    (call < 0 || !isWaiting
      ? undefined
      : said('error execution phase kubelet-start: timed out waiting for the condition')) ??
    (output.some(({ text }) => WAITS.test(text)) && WAITED.test(lastStep(output))
      ? said('error execution phase wait-control-plane: timed out waiting for the condition')
      : undefined)
  );
}

/** Control groups that the kernel has not, where that is what it says last. */
function missingIn(output: Attempt['output'], error: Attempt['error']): string[] {
  const at = output.findLastIndex(({ text }) => VERIFIED.test(text));
  const verified = at < 0 ? [] : output.slice(at + 1);
  if (verified.some(({ text }) => PROGRESS.test(text)) || error.some(({ text }) => TOLERATED.test(text)))
    return [];
  // Where it asks Docker, it may be one that can do without this.
  const isOld = verified.some(({ text }) => /^DOCKER_/.test(text));
  const missing = verified.flatMap(({ text }) => MISSING.exec(text)?.[1]?.toLowerCase() ?? []);
  return missing.filter((name) => !(isOld && name === 'pids'));
}

const lastStep = (output: Attempt['output']): string =>
  output.findLast(({ text }) => PROGRESS.test(text))?.text ?? '';
