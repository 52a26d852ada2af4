import { verifyNode } from '../../cluster/verify.ts';
import type { StepContext, StepResult } from '../../engine/step.ts';
import type { KubeadmCall } from '../../kubeadm/config/call.ts';

/** Undefined when the machine is the node that its configuration asks for; else why it is not. */
export async function verifiedNode(call: KubeadmCall, context: StepContext): Promise<StepResult | undefined> {
  const { host, signal } = context;
  // Below a root directory no kubelet runs.
  if (host.root !== '/') return undefined;
  const verdict = await verifyNode(host, {
    // kubeadm has read it, or was there before it was changed: nothing can be demanded of the Node then.
    config: (await call.read()).config ?? { skipPhases: [] },
    signal,
    onProgress: (message) => void context.progress(message),
  });
  if (!verdict.ok)
    return { done: false, failure: verdict.failure, retry: verdict.final ? 'no' : 'until-deadline' };
  if (verdict.warning) await context.finding({ severity: 'warning', ...verdict.warning });
  return undefined;
}
