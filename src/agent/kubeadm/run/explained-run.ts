/** Runs kubeadm, watches the kubelet meanwhile, and says why it failed. */

import { type KubeletWatch, watchKubelet } from '../../diagnosis/causes/kubelet-watch.ts';
import type { KubeadmFailure } from '../../diagnosis/words/classify.ts';
import type { Host } from '../../host/host.ts';
import type { ExplainedSpec, WatchResult } from './explain-failure.ts';
import { restartRefusedKubelet } from './restart-refused-kubelet.ts';
import { type KubeadmRun, runKubeadm } from './run-kubeadm.ts';
import { withoutStorageRequest } from './storage-request.ts';

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
    onCertificate: restartRefusedKubelet(host, { onProgress, signal: over.signal }),
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
    // As it is at kubeadm's end: what comes while the rest is read is not of this attempt.
    const watched = seenBy(watch);
    const { explainFailure } = await import('./explain-failure.ts');
    return { ...run, tokenWasKnown, failure: await explainFailure(host, spec, run, watched) };
  } finally {
    over.abort();
    watch.stop();
  }
}

function seenBy({ verdict, marks, follower }: KubeletWatch): WatchResult {
  const { kubelet, runtime, begun } = follower;
  return {
    verdict: verdict(),
    marks: marks(),
    follower: { isComplete: follower.complete(), kubelet: [...kubelet], runtime: [...runtime], begun },
  };
}

/** kubeadm reads the cluster's configuration only after discovery has accepted the token. */
const passedDiscovery = (stdout: string): boolean =>
  /^\[preflight\] Reading configuration from the |^\[kubelet-start\] /m.test(stdout);
