/** Runs kubeadm, watches the kubelet meanwhile, and says why it failed. */

import { type KubeletWatch, watchKubelet } from '../../diagnosis/causes/kubelet-watch.ts';
import { diagnose, evidenceFor, refined } from '../../diagnosis/diagnose.ts';
import { NO_EVIDENCE } from '../../diagnosis/evidence/evidence.ts';
import { gatherEvidence } from '../../diagnosis/evidence/gather.ts';
import { classify, type KubeadmFailure } from '../../diagnosis/words/classify.ts';
import type { Host } from '../../host/host.ts';
import { refusedKubelet } from './refused-kubelet.ts';
import { type KubeadmRun, type RunSpec, runKubeadm } from './run-kubeadm.ts';
import { withoutStorageRequest } from './storage-request.ts';

interface ExplainedSpec extends RunSpec {
  /** `host:port` of the API server that is joined. */
  endpoint?: string | undefined;
  criSocket?: string | undefined;
  /** The public half of the bootstrap token. */
  tokenId?: string | undefined;
  /** An earlier attempt got past discovery with this token. */
  tokenWasKnown?: boolean | undefined;
}

export interface ExplainedRun extends KubeadmRun {
  /** Undefined when kubeadm ended well. */
  failure?: KubeadmFailure;
  /** The cluster accepted the token in this attempt or before. */
  tokenWasKnown: boolean;
}

/** Does not throw for kubeadm's failure; throws HostError when it cannot be started. */
export async function runExplained(host: Host, spec: ExplainedSpec): Promise<ExplainedRun> {
  const onProgress = (message: string): void => spec.onProgress?.(message);
  const over = new AbortController();
  const watch = watchKubelet(host, {
    onPod: withoutStorageRequest(host, onProgress),
    onCertificate: refusedKubelet(host, { onProgress, signal: over.signal }),
  });
  try {
    const run = await runKubeadm(host, {
      ...spec,
      signal: spec.signal ? AbortSignal.any([spec.signal, watch.signal]) : watch.signal,
      onLine: (line, stream) => {
        if (stream === 'stdout') watch.onKubeadmLine(line);
        spec.onLine?.(line, stream);
      },
    });
    const tokenWasKnown = spec.tokenWasKnown === true || passedDiscovery(run.stdout);
    if (run.exitStatus === 0) return { ...run, tokenWasKnown };
    return { ...run, tokenWasKnown, failure: await explain(host, spec, run, watch) };
  } finally {
    over.abort();
    watch.stop();
  }
}

/** kubeadm reads the cluster's configuration only after discovery has accepted the token. */
const passedDiscovery = (stdout: string): boolean =>
  /^\[preflight\] Reading configuration from the |^\[kubelet-start\] /m.test(stdout);

async function explain(
  host: Host,
  spec: ExplainedSpec,
  run: KubeadmRun,
  watch: KubeletWatch,
): Promise<KubeadmFailure> {
  const { verb, tokenId, tokenWasKnown, endpoint, criSocket } = spec;
  const input = { verb, ...run, tokenId, tokenWasKnown };
  const base = classify(input);
  const verdict = watch.verdict();
  // This verdict made us end kubeadm: its last words are no reason, and its exit status is our signal's.
  if (verdict !== undefined && spec.signal?.aborted !== true) {
    const { exitStatus: _, ...rest } = base;
    return refined({ ...rest, lines: [] }, verdict);
  }
  const parts = evidenceFor(base, input);
  if (parts.length === 0) return base;
  const { follower } = watch;
  const marks = watch.marks();
  const evidence = await gatherEvidence(host, {
    parts,
    // No lines may mean that there is no journal to follow, or that nobody has read it yet.
    ...(follower.complete() && !run.adopted && follower.kubelet.length > 0
      ? { followed: { kubelet: [...follower.kubelet], runtime: [...follower.runtime] } }
      : {}),
    ...(run.adopted ? {} : { since: follower.begun }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(criSocket === undefined ? {} : { criSocket }),
    ...(marks === undefined || run.adopted ? {} : { marks }),
  });
  return diagnose(input, { ...NO_EVIDENCE, ...evidence });
}
