/**
 * From what kubeadm printed to a code of the table. A pure function: it looks at text only. Order matters: what is
 * specific comes before what is general, and what kubeadm says of itself before what the network says.
 *
 * Exit statuses do not classify: preflight failures exit 1 like nearly all others.
 */

import { codes } from '../../../protocol/codes/codes.ts';
import type { Persistence } from '../../../protocol/codes/entry.ts';
import { inPlatformWords } from '../../../protocol/codes/on-windows.ts';
import type { Failure } from '../../../protocol/journal.ts';
import { redact } from '../../../secrets/redact.ts';
import { configPatterns } from '../patterns/config.ts';
import { controlPlaneLatePatterns, controlPlanePatterns } from '../patterns/control-plane.ts';
import {
  certificatePatterns,
  credentialPatterns,
  localCertificatePatterns,
} from '../patterns/credentials.ts';
import { discoveryPatterns, discoveryTimedOut } from '../patterns/discovery.ts';
import { etcdPatterns, etcdQuotaPatterns } from '../patterns/etcd.ts';
import { imagePatterns } from '../patterns/image.ts';
import { kubeletHealthPatterns, kubeletPatterns } from '../patterns/kubelet.ts';
import { networkPatterns, proxyPatterns, webhookPatterns } from '../patterns/network.ts';
import { accessPatterns, machinePatterns, nodePatterns, registrationPatterns } from '../patterns/node.ts';
import { isBareError, type KubeadmOutput, parseKubeadmOutput } from '../patterns/output.ts';
import {
  type Diagnosis,
  type Facts,
  inError,
  lineAround,
  type Pattern,
  shorten,
} from '../patterns/pattern.ts';
import { preflightPattern } from '../patterns/preflight.ts';
import { runtimePatterns } from '../patterns/runtime.ts';
import { certificatePeriodPatterns, tlsPatterns } from '../patterns/tls.ts';
import { lastLines } from './last-lines.ts';
import { patternsFor, unproved } from './unproved.ts';

export interface KubeadmEnd {
  /** Undefined where nobody knows it. */
  verb: 'init' | 'join' | undefined;
  stdout: string;
  stderr: string;
  /** Undefined when kubeadm vanished without one; of a log nobody knows it. */
  exitStatus: number | 'unknown' | undefined;
}

export interface KubeadmFailure extends Failure {
  /** The table's word for this code, or what the output shows more exactly. */
  persistence: Persistence;
  /** kubeadm's phase, when it named one. */
  phase?: string;
  facts?: Facts;
  /** The line that the code rests on, redacted; empty when it rests on the exit status. */
  evidence: string;
}

const timedOut: Pattern = inError(
  /timed out waiting for the condition|context deadline exceeded|client rate limiter Wait/,
  (_, { output }) => ({
    code: 'KubeadmTimedOut',
    ...(output.phase === 'kubelet-start'
      ? { cause: 'kubeadm gave up waiting for the kubelet: to be healthy, or to get its certificate.' }
      : {}),
  }),
);

const NOT_UP =
  'The control plane on this machine did not come up in time; the output does not give the reason.';

/** Only the advice is left that it gives when it has waited for the control plane in vain. */
const advised: Pattern = ({ output }) => {
  const advice = /^[ \t]*(?:Additionally, a|A) control plane component may have crashed.*$/m.exec(
    output.stdout,
  );
  const says = output.phase !== undefined || !isBareError(output) || output.preflight.length > 0;
  return advice === null || says
    ? undefined
    : {
        code: 'ControlPlaneNotReady',
        cause: NOT_UP,
        evidence: shorten(advice[0]),
      };
};

/**
 * Up to 1.28 its last words before it gives up: of a kubelet that is not healthy it says so at once behind them, so
 * that one is.
 */
const waitedForControlPlane: Pattern = ({ output }) => {
  const last = output.stdout.split('\n').findLast((line) => /^\[[\w-]+\] /.test(line)) ?? '';
  const gaveUp = isBareError(output) && output.phase === undefined && output.preflight.length === 0;
  const waited = /^\[kubelet-check\] Initial timeout of \S+ passed/.test(last);
  return waited &&
    gaveUp &&
    output.error !== '' &&
    /^\[wait-control-plane\] Waiting for /m.test(output.stdout)
    ? { code: 'ControlPlaneNotReady', cause: NOT_UP, evidence: shorten(last) }
    : undefined;
};

/** That with which a join ends too. */
const advisedOfKubelet: Pattern = ({ output }) => {
  const advice = /^[ \t]*- The kubelet is (?:not running|unhealthy due to a misconfiguration).*$/m.exec(
    output.stdout,
  );
  return advice === null || output.error !== '' || output.preflight.length > 0
    ? undefined
    : { code: 'KubeadmTimedOut', evidence: shorten(advice[0]) };
};

/** What these phases say, where their name is not quoted, and what a join reads of a cluster that it has found. */
const ASKED_WHEN_UP =
  /^(?:error: )?error (?:uploading certs|uploading the kubeadm ClusterConfiguration|when creating kube-proxy service account): |unable to fetch the kubeadm-config ConfigMap: |error downloading the secret: |could not download the kubelet configuration from ConfigMap /;

/** When the control plane is up, each phase of `init` asks it for something, and a join for the cluster's configuration. */
const notCarriedOut: Pattern = inError(
  /timed out waiting for the condition|context deadline exceeded|client rate limiter Wait/,
  ({ input }) => ({
    code: 'ApiServerUnreachable',
    cause: `The API server did not carry out a request in time: ${shorten(lineAround(input, input.indexOf('error execution phase')).replace(/^.*?error execution phase \S+ ?/, ''), 200)}.`,
  }),
  ({ output }) =>
    /^(?:upload-|bootstrap-token|addon)/.test(output.phase ?? '') || ASKED_WHEN_UP.test(output.error),
);

const PATTERNS: Pattern[] = [
  ...machinePatterns,
  preflightPattern,
  ...imagePatterns,
  ...runtimePatterns,
  ...nodePatterns,
  ...discoveryPatterns,
  ...configPatterns,
  ...accessPatterns,
  ...etcdQuotaPatterns,
  ...proxyPatterns,
  ...certificatePeriodPatterns,
  ...controlPlanePatterns,
  ...webhookPatterns,
  ...localCertificatePatterns,
  ...tlsPatterns,
  ...certificatePatterns,
  ...credentialPatterns,
  ...kubeletHealthPatterns,
  ...etcdPatterns,
  ...networkPatterns,
  ...registrationPatterns,
  ...kubeletPatterns,
  ...controlPlaneLatePatterns,
  discoveryTimedOut,
  notCarriedOut,
  advised,
  waitedForControlPlane,
  timedOut,
  advisedOfKubelet,
];

/**
 * Says why kubeadm failed. Never throws, and never guesses: what no pattern knows is `Unclassified` with the last lines.
 * Nothing in the result holds a secret. Call it only for a run that failed.
 */
export function classify(end: KubeadmEnd): KubeadmFailure {
  const parsed = parseKubeadmOutput(end.stdout, end.stderr);
  const ofStranger = unproved(parsed);
  const output = ofStranger ?? parsed;
  const patterns = ofStranger === undefined ? PATTERNS : [...patternsFor(ofStranger), timedOut];
  const diagnosis = interrupted(end, output) ?? firstMatch(patterns, output) ?? unclassified(end, output);
  const row = codes()[diagnosis.code];
  return {
    code: diagnosis.code,
    cause: redact(diagnosis.cause ?? row.meaning),
    remedy: redact(inPlatformWords(diagnosis.remedy ?? row.fix)),
    ...(typeof end.exitStatus === 'number' ? { exitStatus: end.exitStatus } : {}),
    lines: lastLines(output, 3),
    persistence: diagnosis.persistence ?? row.persistence,
    ...(output.phase === undefined ? {} : { phase: output.phase }),
    ...factsOf(diagnosis, output),
    evidence: redact(diagnosis.evidence),
  };
}

const PROXY_WARNING = /^Connection to "[^"]*" uses proxy "([^"]*)"/;

function factsOf({ facts }: Diagnosis, { warnings }: KubeadmOutput): Pick<KubeadmFailure, 'facts'> {
  const proxies = warnings.flatMap(({ text }) => PROXY_WARNING.exec(text)?.[1] ?? []);
  const [proxy] = proxies;
  if (facts === undefined && proxy === undefined) return {};
  return {
    facts: {
      ...withoutSecrets(facts ?? {}),
      ...(proxy === undefined ? {} : { warnedOfProxy: redact(proxy.replace(/\/\/[^/@]*@/, '//')) }),
    },
  };
}

const withoutSecrets = ({ also, ...facts }: Facts): Facts =>
  also === undefined ? facts : { ...facts, also: redact(also) };

function firstMatch(patterns: readonly Pattern[], output: KubeadmOutput): Diagnosis | undefined {
  for (const pattern of patterns) {
    const diagnosis = pattern({ output });
    if (diagnosis !== undefined) return diagnosis;
  }
  return undefined;
}

/** A signal's exit status counts only where kubeadm itself gave no reason. */
function interrupted({ exitStatus }: KubeadmEnd, output: KubeadmOutput): Diagnosis | undefined {
  if (output.error !== '' || output.preflight.length > 0) return undefined;
  if (exitStatus === undefined) {
    return {
      code: 'KubeadmInterrupted',
      cause: 'kubeadm disappeared without an exit status.',
      evidence: '',
    };
  }
  if (exitStatus === 'unknown') return undefined;
  if (exitStatus === 124) {
    return {
      code: 'KubeadmInterrupted',
      cause: 'kubeadm was stopped because it took too long.',
      evidence: '',
    };
  }
  if (exitStatus > 128 && exitStatus <= 128 + 64) {
    const signal = exitStatus - 128;
    const name = { 1: 'SIGHUP', 2: 'SIGINT', 9: 'SIGKILL', 15: 'SIGTERM' }[signal] ?? `signal ${signal}`;
    const guess = signal === 9 ? ' (often the out-of-memory killer)' : '';
    return { code: 'KubeadmInterrupted', cause: `kubeadm was killed by ${name}${guess}.`, evidence: '' };
  }
  return undefined;
}

function unclassified({ verb, exitStatus }: KubeadmEnd, output: KubeadmOutput): Diagnosis {
  const [last = ''] = lastLines(output, 1);
  const where = output.phase === undefined ? '' : ` in the phase ${output.phase}`;
  const said = last === '' ? 'it printed no reason' : `its last line is: ${last}`;
  const status = typeof exitStatus === 'number' ? ` with exit status ${exitStatus}` : '';
  return {
    code: 'Unclassified',
    cause: `kubeadm${verb === undefined ? '' : ` ${verb}`} failed${where}${status} in a way that is not in the table of codes; ${said}`,
    evidence: last,
  };
}
