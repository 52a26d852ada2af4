/**
 * Where nothing in a log is kubeadm's own: the kubelet's journal may say why it does not run, and an excerpt from the log of
 * etcd or the API server why that ended.
 */
import { CODES, type Code } from '../../protocol/codes/codes.ts';
import { countKubeletEnds, explainLoneKubelet } from './causes/explain-kubelet.ts';
import { explainStaticPods } from './causes/explain-static-pods.ts';
import { refined } from './diagnose.ts';
import { evidenceInLog } from './evidence/from-log.ts';
import type { LogLine } from './transcript/line.ts';
import type { KubeadmFailure } from './words/classify.ts';

/** In a longer log a component that ended may belong to anything. */
export const EXCERPT = 60;
/** Distributions with a kubelet of their own, which no kubeadm has set up. */
const DISTRIBUTION =
  /\b(?:k3s|rke2|k0s|microk8s)(?:\.service\b| (?:server|agent|start|kubelet)\b)|\b(?:restart|start|status|-u) (?:k3s|rke2|k0s)\b/;

/** @param all Also what is the text of a program, and so no part of a log. */
export function failureOfNode(
  lines: readonly LogLine[],
  all: readonly LogLine[] = lines,
): KubeadmFailure | undefined {
  const evidence = evidenceInLog(lines, undefined);
  const length = all.filter(({ text }) => text.trim() !== '').length;
  if (length <= EXCERPT && lines.some(({ text }) => DISTRIBUTION.test(text))) return undefined;
  const isAlone = evidence.kubeletLog.length * 2 > length;
  const pods = length > EXCERPT ? undefined : explainStaticPods(evidence);
  const kubelet = explainLoneKubelet(evidence, isAlone);
  const found = countKubeletEnds(evidence.kubeletLog) > 0 ? (kubelet ?? pods) : (pods ?? kubelet);
  return found === undefined ? undefined : refined({ ...bareFailure(found.code, ''), lines: [] }, found);
}

/** With the table's own sentences. */
export function bareFailure(code: Code, line: string): KubeadmFailure {
  const { cause, remedy, persistence } = CODES[code];
  return { code, cause, remedy, persistence, lines: [line], evidence: line };
}
