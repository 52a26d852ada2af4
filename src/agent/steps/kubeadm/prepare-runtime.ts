import type { Failure } from '../../../protocol/journal.ts';
import { failure } from '../../engine/failure.ts';
import type { StepContext } from '../../engine/step.ts';
import type { KubeadmConfig } from '../../kubeadm/config/config.ts';
import { awaitRuntime } from '../../kubeadm/run/await-runtime.ts';
import { capSeconds, PULL_SECONDS, RUNTIME_SECONDS } from '../../kubeadm/run/timeouts.ts';

/** How kubeadm is going to be called. */
interface Call {
  verb: 'init' | 'join';
  path: string;
  args: readonly string[];
  config: Partial<KubeadmConfig>;
}

/**
 * What kubeadm needs of the container runtime: that it answers, and for a new control plane its images.
 *
 * @returns why kubeadm need not be called any more: the deadline passed before the runtime answered
 */
export async function prepareRuntime(
  { verb, path, args, config }: Call,
  context: StepContext,
): Promise<Failure | undefined> {
  const { host, signal } = context;
  const onProgress = (message: string) => void context.progress(message);
  const limitMs = (seconds: number): number =>
    1000 * Math.min(seconds, capSeconds(context.remainingMs()) ?? seconds);
  const { criSocket } = config;
  const silent = await awaitRuntime(host, {
    ...{ criSocket, limitMs: limitMs(RUNTIME_SECONDS), signal, onProgress },
  });
  if (silent !== undefined && signal.aborted)
    return failure('ContainerRuntimeDown', `Nobody answered at ${silent} until the deadline passed.`);
  if (verb !== 'init') return undefined;
  const { prefetchImages } = await import('../../kubeadm/run/prefetch-images.ts');
  await prefetchImages(host, { path, args, config, limitMs: limitMs(PULL_SECONDS), signal, onProgress });
  return undefined;
}
