/**
 * What kubeadm most likely fails of, where the log ends before its error: what it tried again and again, and what the
 * kubelet and the control plane's containers said meanwhile. It is told as a guess and never as the verdict.
 */
import type { Attempt } from './attempts/attempt.ts';
import { explainKubeletEnd, explainKubeletRun, KUBELET_STARTED } from './causes/explain-kubelet.ts';
import { explainStaticPods } from './causes/explain-static-pods.ts';
import { refined } from './diagnose.ts';
import type { Evidence } from './evidence/evidence.ts';
import { ETCD_JSON, KLOG, PROGRESS } from './transcript/sentences.ts';
import { classify, type KubeadmFailure } from './words/classify.ts';

/** What it logs of an attempt that it makes again; its words are those of the error that would come. */
const RETRIED =
  /(?:Retrying due to error: |[Ff]ailed to (?:request|connect)|will try again: |does not yet contain a JWS signature for |romoting the learner \S{1,40} failed: ).*|"error":"(?:[^"\\]|\\.){0,400}"/;
/** It has found the cluster, or become a member of etcd, all the same. */
const FOUND =
  /^\[(?:discovery\] Successfully|preflight\] Reading configuration from|(?!preflight|discovery|init)[a-z])/;
const MEMBER = /^\[mark-control-plane\] /;
const HEALTH_CALL =
  /^\s*\[kubelet-check\] (?:The HTTP call equal to .*(?:failed with|returned) |It seems like the kubelet isn't running or healthy)/;
const WAITS = /^\[wait-control-plane\] Waiting for /;
/** What it says up to 1.29 when it has waited long, and nothing is wrong with the kubelet. */
const WAITED = /^\s*\[kubelet-check\] Initial timeout of \S+ passed/;
/** What it has verified of the machine; of the others it can do without. */
const VERIFIED = /^\[preflight\] The system verification failed\./;
const MISSING = /^CGROUPS_(?!HUGETLB|BLKIO|IO\b)(\w+): missing$/;
/** They say that nobody knows. */
const VAGUE = new Set(['Unclassified', 'KubeadmTimedOut', 'KubeletCertificateNotIssued']);

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
    return VAGUE.has(found.code) ? undefined : found;
  };
  if (node !== undefined)
    return refined({ ...classify({ verb, stdout, stderr: '', exitStatus: 'unknown' }), lines: [] }, node);
  const isLogged = (text: string): boolean =>
    KLOG.test(text) || ETCD_JSON.test(text) || /^\[discovery\] /.test(text);
  // The last may be cut off within its reason.
  const retried = [...output, ...error].filter(({ text }) => isLogged(text) && RETRIED.test(text)).slice(-2);
  const over = /\[discovery\] /.test(retried.at(-1)?.text ?? '') ? FOUND : MEMBER;
  const isOver = output.some(({ text }) => PROGRESS.test(text) && over.test(text));
  const words = isOver ? [] : retried.reverse().map(({ text }) => RETRIED.exec(text)?.[0] ?? '');
  const verified = output.slice(output.findLastIndex(({ text }) => VERIFIED.test(text)));
  const missing = verified.flatMap(({ text }) => MISSING.exec(text)?.[1]?.toLowerCase() ?? []);
  if (VERIFIED.test(verified[0]?.text ?? '') && missing.length > 0)
    return said(`\t[ERROR SystemVerification]: missing required cgroups: ${missing.join(' ')}`);
  const call = output.findLast(({ text }) => HEALTH_CALL.test(text));
  return (
    words.reduce<KubeadmFailure | undefined>(
      (found, one) => found ?? said(`error execution phase ${phaseOf(one)}: ${one.replaceAll('\\"', '"')}`),
      undefined,
    ) ??
    (call === undefined
      ? undefined
      : said('error execution phase kubelet-start: timed out waiting for the condition')) ??
    (output.some(({ text }) => WAITS.test(text)) && WAITED.test(lastStep(output))
      ? said('error execution phase wait-control-plane: timed out waiting for the condition')
      : undefined)
  );
}

const lastStep = (output: Attempt['output']): string =>
  output.findLast(({ text }) => PROGRESS.test(text))?.text ?? '';

/** Etcd's client speaks where this machine becomes a member; all else is said while the cluster is looked for. */
const phaseOf = (words: string): string =>
  /etcd|learner/.test(words) ? 'control-plane-join/etcd' : 'preflight';
