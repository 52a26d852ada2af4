/** Why kubeadm has failed, or its Node is missing, by its words and by what the machine shows. Read when that happens. */
import { omitUndefined } from '../../../kit/json.ts';
import { type Code, codes } from '../../../protocol/codes/codes.ts';
import type { Failure } from '../../../protocol/journal.ts';
import { redact } from '../../../secrets/redact.ts';
import { hasKubeletCredential } from '../../cluster/kubelet-credential.ts';
import { explainKubeletEnd, explainKubeletRun } from '../../diagnosis/causes/explain-kubelet.ts';
import { withHolder } from '../../diagnosis/causes/explain-node.ts';
import type { KubeletWatch } from '../../diagnosis/causes/kubelet-watch.ts';
import { diagnose, evidenceFor, refined } from '../../diagnosis/diagnose.ts';
import { type Evidence, NO_EVIDENCE } from '../../diagnosis/evidence/evidence.ts';
import { gatherEvidence } from '../../diagnosis/evidence/gather.ts';
import { withRetried } from '../../diagnosis/retried.ts';
import { classify, type KubeadmFailure } from '../../diagnosis/words/classify.ts';
import { KUBELET_DROP_IN } from '../../document/paths.ts';
import type { Host } from '../../host/host.ts';
import type { KubeadmRun, RunSpec } from './run-kubeadm.ts';

export interface ExplainedSpec extends RunSpec {
  /** `host:port` of the API server that is joined. */
  endpoint?: string | undefined;
  criSocket?: string | undefined;
  /** The public half of the bootstrap token. */
  tokenId?: string | undefined;
  /** An earlier attempt got past discovery with this token. */
  tokenWasKnown?: boolean | undefined;
}

/** What a watch has seen. */
export interface WatchResult {
  verdict: ReturnType<KubeletWatch['verdict']>;
  marks: ReturnType<KubeletWatch['marks']>;
  follower: {
    isComplete: boolean;
    kubelet: string[];
    runtime: string[];
    begun: KubeletWatch['follower']['begun'];
  };
}

export async function explainFailure(
  host: Host,
  spec: ExplainedSpec,
  run: KubeadmRun,
  { verdict, marks, follower }: WatchResult,
): Promise<KubeadmFailure> {
  const { verb, tokenId, tokenWasKnown, endpoint, criSocket } = spec;
  const input = { verb, ...run, tokenId, tokenWasKnown };
  const base = withRetried(classify(input), input);
  // This verdict made us end kubeadm: its last words are no reason, and its exit status is our signal's.
  if (verdict !== undefined && spec.signal?.aborted !== true) {
    const { exitStatus: _, ...rest } = base;
    return refined({ ...rest, lines: [] }, verdict);
  }
  const parts = evidenceFor(base, input);
  if (parts.length === 0) return base;
  const evidence = await gatherEvidence(host, {
    parts,
    // No lines may mean that there is no journal to follow, or that nobody has read it yet.
    ...(follower.isComplete && !run.adopted && follower.kubelet.length > 0
      ? { followed: { kubelet: follower.kubelet, runtime: follower.runtime } }
      : {}),
    ...(run.adopted ? {} : { since: follower.begun }),
    ...omitUndefined({ endpoint, criSocket }),
    ...(marks === undefined || run.adopted ? {} : { marks }),
  });
  return diagnose(input, { ...NO_EVIDENCE, ...evidence });
}

/** The API server answers, so what the kubelet said of the way to it is over. */
const REASONS: readonly Code[] = [
  'PermissionDenied',
  'NodeNameInvalid',
  'NodeNotRegistered',
  'ApiServerUnavailable',
];

const unhealthy = (known: Evidence): ReturnType<typeof explainKubeletEnd> =>
  explainKubeletEnd(known) ?? explainKubeletRun('KubeletUnhealthy', known);

/** `slipway credential`, which the kubelet calls for its certificate, speaks on the kubelet's own standard error. */
const OWN_WORDS = /^slipway: (.{1,500}) \[(\w{1,60})\]$/;

const isCode = (word: string): word is Code => Object.hasOwn(codes(), word);

/** The kubelet calls it, and has never got one. */
async function withoutCertificate(
  host: Host,
  { kubeletLog }: Evidence,
  failure: Failure,
): Promise<Failure | undefined> {
  const line = kubeletLog.findLast((text) => OWN_WORDS.test(text)) ?? '';
  const [, words = '', code = ''] = OWN_WORDS.exec(line) ?? [];
  if (!isCode(code) || (await host.files.stat(KUBELET_DROP_IN)) === undefined) return undefined;
  if (await hasKubeletCredential(host)) return undefined;
  const cause = `The kubelet gets no certificate: ${redact(words)}.`;
  return { ...failure, code, cause, remedy: codes()[code].fix, lines: [redact(line)] };
}

/** kubeadm has ended well, and the kubelet or its Node has not come: as the kubelet tells why, where it does. */
export async function explainMissing(host: Host, failure: Failure): Promise<Failure> {
  const known = { ...NO_EVIDENCE, ...(await gatherEvidence(host, { parts: ['kubelet', 'listeners'] })) };
  const refused = await withoutCertificate(host, known, failure);
  if (refused !== undefined) return refused;
  const complaint = explainKubeletRun('NodeNotRegistered', known);
  const isReason = complaint !== undefined && REASONS.includes(complaint.code);
  const missing = isReason ? complaint : undefined;
  const explained = failure.code === 'KubeletUnhealthy' ? unhealthy(known) : missing;
  if (explained === undefined) return failure;
  const found = withHolder(explained, known);
  const row = codes()[found.code];
  return {
    ...failure,
    code: found.code,
    cause: redact(found.cause ?? row.meaning),
    remedy: found.remedy ?? row.fix,
    lines: [redact(found.evidence)],
  };
}
