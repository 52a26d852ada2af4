import { verifyNode } from '../../cluster/verify.ts';
import type { KubeadmCommand } from '../../document/document.ts';
import type { StepContext, StepResult } from '../../engine/step.ts';
import { readConfig } from '../../kubeadm/config/config.ts';
import { KubeadmError } from '../../kubeadm/config/yaml/failure.ts';

/** Undefined when the machine is the node that its configuration asks for; else why it is not. */
export async function verifiedNode(
  command: KubeadmCommand,
  context: StepContext,
): Promise<StepResult | undefined> {
  const { host, signal } = context;
  // Below a root directory no kubelet runs.
  if (host.root !== '/') return undefined;
  const verdict = await verifyNode(host, {
    config: await wantedNode(command, context),
    signal,
    onProgress: (message) => void context.progress(message),
  });
  if (!verdict.ok)
    return { done: false, failure: verdict.failure, retry: verdict.final ? 'no' : 'until-deadline' };
  if (verdict.warning) await context.finding({ severity: 'warning', ...verdict.warning });
  return undefined;
}

async function wantedNode({ verb, args, configPath }: KubeadmCommand, { host }: StepContext) {
  const text = configPath === undefined ? undefined : await host.files.readIfPresent(configPath);
  try {
    return readConfig({
      verb,
      args: args.reveal(),
      ...(text === undefined ? {} : { text: text.toString('utf8') }),
    });
  } catch (error) {
    // kubeadm has read it, or was there before it was changed: nothing can be demanded of the Node then.
    if (error instanceof KubeadmError) return { skipPhases: [] };
    throw error;
  }
}
