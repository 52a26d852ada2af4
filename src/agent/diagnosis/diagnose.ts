/**
 * Why kubeadm failed: what it printed, made more exact by what the machine shows. A pure function.
 *
 * kubeadm's own words win where they name a cause. Where they only say that it waited in vain, the evidence is asked in
 * the order in which one thing causes the next: the machine, the runtime, the kubelet, its containers, the network. What
 * the evidence does not explain stays as kubeadm said it.
 */
import { type Code, codes } from '../../protocol/codes/codes.ts';
import { inPlatformWords } from '../../protocol/codes/on-windows.ts';
import { redact } from '../../secrets/redact.ts';
import { explainDiscovery, type TokenSight } from './causes/explain-discovery.ts';
import { explainNode, withHolder } from './causes/explain-node.ts';
import { explainStaticPods } from './causes/explain-static-pods.ts';
import { KUBELET_STARTED } from './causes/kubelet-signs.ts';
import { withSwapDevices } from './causes/swap.ts';
import type { Evidence } from './evidence/evidence.ts';
import type { Part } from './evidence/gather.ts';
import type { Diagnosis } from './patterns/pattern.ts';
import { withRetried } from './retried.ts';
import { classify, type KubeadmEnd, type KubeadmFailure } from './words/classify.ts';

type DiagnosisInput = KubeadmEnd & TokenSight;

/** Failures that say "in vain" but not why: the machine may know. */
const NODE_SYMPTOMS: readonly Code[] = [
  'KubeletUnhealthy',
  'KubeletNotStarted',
  'KubeletCertificateNotIssued',
  'NodeNotRegistered',
  'ControlPlaneNotReady',
  'EtcdUnhealthy',
  'EtcdLearnerNotReady',
  'EtcdMemberNotAdded',
  'KubeadmTimedOut',
  'KubeadmInterrupted',
  'ContainerRuntimeDown',
  'ContainerRuntimeUnsuitable',
  'PortInUse',
  'Unclassified',
];
const DISCOVERY_SYMPTOMS: readonly Code[] = [
  'TokenUnknown',
  'ApiServerUnreachable',
  'ApiServerUnavailable',
  'ApiServerNameUnresolved',
  'ClusterInfoUnavailable',
  'ClockWrong',
  'CredentialsRejected',
];

/** The parts of the evidence that could make this failure more exact; empty where kubeadm's own words suffice. */
export function evidenceFor(base: KubeadmFailure, { stdout, verb }: KubeadmEnd): Part[] {
  const { code } = base;
  if (base.facts?.saysWhy) return [];
  if (DISCOVERY_SYMPTOMS.includes(code))
    return asksOwn(base, stdout) ? ['static pods', 'API server'] : ['API server'];
  if (code === 'PortInUse') return ['listeners'];
  if (code === 'SwapEnabled') return ['machine'];
  if (code === 'ContainerRuntimeDown' || code === 'ContainerRuntimeUnsuitable') return ['runtime', 'machine'];
  if (!NODE_SYMPTOMS.includes(code)) return [];
  // Before kubeadm has started it, the kubelet has no configuration and ends again and again: that means nothing.
  if (startedKubelet(base, stdout))
    return ['kubelet', 'runtime', 'static pods', 'machine', 'API server', 'listeners'];
  // A program that cannot even say its version: that systemd starts it again and again is what follows from that.
  if (code === 'KubeletNotStarted') return base.phase === 'preflight' ? [] : ['kubelet'];
  if (code === 'Unclassified') return [];
  return verb === 'join' ? ['machine', 'API server'] : ['machine'];
}

const OWN_CONTROL_PLANE = /^\[(?:control-plane|etcd)\] Creating (?:S|s)tatic (?:P|p)od manifest/m;

const startedKubelet = ({ code, phase = '' }: KubeadmFailure, stdout: string): boolean =>
  code === 'KubeletUnhealthy' ||
  /^(?:wait-control-plane|kubelet-start|kubelet-wait-bootstrap|etcd-join|control-plane-join|upload-config|mark-control-plane)/.test(
    phase,
  ) ||
  stdout.split('\n').some((line) => KUBELET_STARTED.test(line)) ||
  /\[wait-control-plane\]|\[kubelet-check\]|^[ \t]*- The kubelet is not running$/m.test(stdout);

/** The API server that does not answer may be this machine's own, which kubeadm has set up before. */
const asksOwn = ({ code }: KubeadmFailure, stdout: string): boolean =>
  (code === 'ApiServerUnreachable' || code === 'ApiServerUnavailable') && OWN_CONTROL_PLANE.test(stdout);

/**
 * What silences this machine's API server: it, or etcd, where it does not run now. One that runs again may be what another address
 * than its own does not lead to. In a join, an API server ends again and again until etcd is there.
 */
const ownPods = ({ verb }: KubeadmEnd, { staticPods }: Evidence): Evidence['staticPods'] =>
  staticPods.filter(
    ({ name, state }) =>
      state === 'exited' && (name === 'etcd' || (verb === 'init' && name === 'kube-apiserver')),
  );

export function diagnose(input: DiagnosisInput, evidence: Evidence): KubeadmFailure {
  return explain(withRetried(classify(input), input), input, evidence);
}

/** Makes what kubeadm said more exact. It looks at codes and facts only: no wording changes what comes out. */
export function explain(base: KubeadmFailure, input: DiagnosisInput, evidence: Evidence): KubeadmFailure {
  const parts = evidenceFor(base, input);
  if (parts.length === 0) return base;
  const seen = onlyParts(evidence, parts);
  if (base.code === 'SwapEnabled') return { ...base, ...withSwapDevices(base, seen) };
  const better = DISCOVERY_SYMPTOMS.includes(base.code)
    ? (explainStaticPods({ ...seen, staticPods: ownPods(input, seen) }) ??
      explainDiscovery(base, seen, input))
    : (explainNode(base, seen) ?? explainBySwap(base, seen) ?? explainByProxy(base, seen));
  return better === undefined ? base : refined(base, withSwapDevices(withHolder(better, seen), seen));
}

/** Where a log has no line of the kubelet: one that meets swap ends, if nobody has told it to bear it. */
function explainBySwap(
  { facts, evidence }: KubeadmFailure,
  { isCollected, kubeletLog }: Evidence,
): Diagnosis | undefined {
  if (!facts?.warnedOfSwap || !isCollected || kubeletLog.length > 0) return undefined;
  return {
    code: 'SwapEnabled',
    cause:
      'The kubelet is not running, and kubeadm warned that swap is on: the kubelet then exits unless failSwapOn is false.',
    persistence: 'until-deadline',
    evidence,
  };
}

/** The control plane runs, and kubeadm, which has warned of a proxy on the way to it, waits in vain. */
function explainByProxy(
  { code, facts, evidence, remedy }: KubeadmFailure,
  { staticPods }: Evidence,
): Diagnosis | undefined {
  const proxy = facts?.warnedOfProxy;
  if (proxy === undefined || code !== 'ControlPlaneNotReady') return undefined;
  const noProxy = 'Add the control plane endpoint and the address of this machine to NO_PROXY';
  const runs = staticPods.some(
    ({ name, state, restarts }) => name === 'kube-apiserver' && state === 'running' && restarts === 0,
  );
  return runs
    ? {
        code: 'ApiServerUnreachable',
        cause: `kube-apiserver runs on this machine, but kubeadm connects to it through the proxy ${proxy}, as it warned, and gets no answer.`,
        remedy: `${noProxy}.`,
        evidence,
      }
    : {
        code,
        cause: `The API server on this machine did not answer kubeadm, which connects to it through the proxy ${proxy}, as it warned.`,
        remedy: `${noProxy}. If that is not it: ${remedy.charAt(0).toLowerCase()}${remedy.slice(1)}`,
        evidence,
      };
}

/** Evidence on what cannot have caused this failure is not looked at, whoever gathered it. */
function onlyParts(evidence: Evidence, parts: readonly Part[]): Evidence {
  const has = (part: Part): boolean => parts.includes(part);
  const { apiServer, ...rest } = evidence;
  return {
    ...rest,
    kubeletLog: has('kubelet') ? evidence.kubeletLog : [],
    runtimeLog: has('runtime') ? evidence.runtimeLog : [],
    units: evidence.units.filter(({ name }) => has(name === 'kubelet.service' ? 'kubelet' : 'runtime')),
    staticPods: has('static pods') ? evidence.staticPods : [],
    ...(has('API server') && apiServer !== undefined ? { apiServer } : {}),
  };
}

/** kubeadm's failure told by its cause: its own last line stays first among the lines. */
export function refined(base: KubeadmFailure, better: Diagnosis): KubeadmFailure {
  const row = codes()[better.code];
  const own = (base.lines ?? []).at(-1);
  const evidence = redact(better.evidence);
  const lines = [own, evidence].filter((line) => line !== undefined && line !== '');
  return {
    ...base,
    code: better.code,
    cause: redact(better.cause ?? row.meaning),
    remedy: redact(inPlatformWords(better.remedy ?? row.fix)),
    persistence: better.persistence ?? row.persistence,
    lines: [...new Set(lines)] as string[],
    evidence: evidence === '' ? base.evidence : evidence,
  };
}
