/**
 * Where nothing in a log is kubeadm's own: the kubelet's journal may say why it does not run, and an excerpt from the log of
 * etcd or the API server why that ended.
 */
import { type Code, codes } from '../../protocol/codes/codes.ts';
import { EXEC_FORMAT, OTHER_PROCESSOR } from './causes/component-log.ts';
import { countKubeletEnds, explainLoneKubelet, explainSandbox } from './causes/explain-kubelet.ts';
import { runtimeDown } from './causes/explain-node.ts';
import { explainStaticPods } from './causes/explain-static-pods.ts';
import { OWN_IMAGE_PULL, PLUGIN_DIRECTORY } from './causes/kubelet-run.ts';
import { lastKnown, rule } from './causes/rule.ts';
import { withSwapDevices } from './causes/swap.ts';
import { refined } from './diagnose.ts';
import { evidenceInLog } from './evidence/from-log.ts';
import type { Diagnosis } from './patterns/pattern.ts';
import { diagnoseRuntime } from './patterns/runtime.ts';
import type { LogLine } from './transcript/line.ts';
import type { KubeadmFailure } from './words/classify.ts';

/** In a longer log a component that ended may belong to anything. */
export const EXCERPT = 60;
/** Distributions with a kubelet of their own, which no kubeadm has set up. */
const DISTRIBUTION = /\b(?:k3s|rke2|k0s|microk8s)\b/i;

export function failureOfNode(lines: readonly LogLine[]): KubeadmFailure | undefined {
  const length = lines.filter(({ text }) => text.trim() !== '').length;
  const evidence = evidenceInLog(lines, undefined);
  if (length <= EXCERPT && lines.some(({ text }) => DISTRIBUTION.test(text))) return undefined;
  const isAlone = evidence.kubeletLog.length * 2 > length;
  const pods = length > EXCERPT ? undefined : explainStaticPods(evidence);
  const kubelet = explainLoneKubelet(evidence, isAlone);
  const node = countKubeletEnds(evidence.kubeletLog) > 0 ? (kubelet ?? pods) : (pods ?? kubelet);
  const isRuntime = length <= EXCERPT || evidence.runtimeLog.length * 2 > length;
  const runtime = isRuntime ? (runtimeDown(evidence) ?? explainSandbox(evidence.runtimeLog)) : undefined;
  const known = node === undefined || node.code.startsWith('ContainerRuntime') ? (runtime ?? node) : node;
  const found = known ?? (length > EXCERPT ? undefined : saidOfCluster(lines));
  return found === undefined
    ? undefined
    : refined({ ...bareFailure(found.code, ''), lines: [] }, withSwapDevices(found, evidence));
}

/** What people paste of other programs: what crictl was told, a sentence of CoreDNS, or of kubectl that is not root. */
function saidOfCluster(lines: readonly LogLine[]): Diagnosis | undefined {
  return lastKnown(
    CLUSTER_RULES,
    lines.map(({ text }) => text),
  );
}

const CLUSTER_RULES = [
  PLUGIN_DIRECTORY,
  OWN_IMAGE_PULL,
  rule(EXEC_FORMAT, () => ({
    code: 'ImageNotFound',
    cause: 'The image of a container is for a different architecture than this machine (exec format error).',
    remedy: OTHER_PROCESSOR,
  })),
  rule(/"?Status from runtime service failed"? err=".*/, ([text]) => diagnoseRuntime(text, 'crictl')),
  // To crictl, the kubelet and kubeadm alike.
  rule(
    /(?:err="|failed: |level=fatal msg="[^"]{0,80}: )rpc error: code = Unimplemented desc = unknown service runtime\.v1\w{0,9}\.\w{5,7}Service/,
    () => ({
      code: 'ContainerRuntimeUnsuitable',
      cause: 'The container runtime answers but does not offer the CRI v1 interface.',
    }),
  ),
  rule(
    /\[FATAL\] plugin\/loop: (?:Loop \((\S+) -> \S+\) detected|Seen "HINFO IN [^"]*" more than twice, loop detected)/,
    ([, from]) => ({
      code: 'CoreDnsLoop',
      ...(from === undefined
        ? {}
        : { cause: `CoreDNS exits because its queries loop back to it (from ${from}).` }),
    }),
  ),
  rule(/[Ee]rror loading config file "([^"]+)": open \S+: permission denied/, ([, path]) => ({
    code: 'FileAccessDenied',
    cause: `kubectl cannot read ${path}: only root can.`,
    remedy:
      'Make your own copy: mkdir -p ~/.kube, sudo cp /etc/kubernetes/admin.conf ~/.kube/config, sudo chown $(id -u):$(id -g) ~/.kube/config; or run kubectl as root.',
  })),
];

/** With the table's own sentences. */
export function bareFailure(code: Code, line: string): KubeadmFailure {
  const { meaning: cause, fix: remedy, persistence } = codes()[code];
  return { code, cause, remedy, persistence, lines: [line], evidence: line };
}
