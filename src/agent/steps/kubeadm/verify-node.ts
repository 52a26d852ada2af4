import { verifyNode } from '../../cluster/verify.ts';
import type { StepContext, StepResult } from '../../engine/step.ts';
import type { KubeadmCall } from '../../kubeadm/config/call.ts';

/** Undefined when the machine is the node that its configuration requests; else why it is not. */
export async function verifiedNode(call: KubeadmCall, context: StepContext): Promise<StepResult | undefined> {
  const { host, signal } = context;
  // Below a root directory no kubelet runs.
  if (host.root !== '/') return undefined;
  const verdict = await verifyNode(host, {
    // Somebody has spoilt the file since kubeadm read it: then it demands nothing of the Node.
    config: (await call.read()).config ?? { skipPhases: [] },
    signal,
    onProgress: (message) => void context.progress(message),
  });
  if (!verdict.ok) {
    const { failure, final } = verdict;
    const isMissing = failure.code === 'NodeNotRegistered' || failure.code === 'KubeletUnhealthy';
    const { explainMissing } = await import('../../kubeadm/run/explain-failure.ts');
    return {
      done: false,
      failure: isMissing ? await explainMissing(host, failure) : failure,
      retry: final ? 'no' : 'until-deadline',
    };
  }
  if (verdict.warning) await context.finding({ severity: 'warning', ...verdict.warning });
  return undefined;
}
