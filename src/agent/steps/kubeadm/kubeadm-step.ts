import type { KubeadmCommand } from '../../document/document.ts';
import { SENTINEL } from '../../document/paths.ts';
import { writeSentinel } from '../../engine/outcome.ts';
import type { StepContext, StepResult } from '../../engine/step.ts';
import type { Host } from '../../host/host.ts';
import { forgetAttempt } from '../../kubeadm/repeat/attempt-note.ts';
import { forgetInventory, type InventoryOwner } from '../../kubeadm/repeat/inventory.ts';
import { looksJoined } from '../../kubeadm/repeat/joined.ts';
import { forgetSuccess, hasSucceeded, noteSuccess } from '../../kubeadm/repeat/succeeded.ts';
import { forgetRun } from '../../kubeadm/run/durable-run.ts';
import { kubeadmPolicy } from '../../kubeadm/run/policy.ts';
import type { Runner } from '../shell/runner.ts';
import { attemptKubeadm } from './kubeadm-attempt.ts';
import { verifiedNode } from './verify-node.ts';

/** `kubeadm init` or `join`: the step for which all the others exist. */
export const kubeadm: Runner<'kubeadm'> = {
  policy: { group: 'runcmd', attempts: Number.POSITIVE_INFINITY },
  backoff: ({ command }) => kubeadmPolicy(command.verb).backoff,

  async run({ index, command }, context, { shell, owner }) {
    await shell.waitBefore(index, context.signal);
    const result = await bootstrapNode(command, context, owner, shell.directory);
    if (result.done) await shell.answer(index, 0);
    return result;
  },

  holds: async ({ command }, host) => looksJoined(host, command.verb),
  skipped: async ({ command }, host) => announce(host, command),
  settled: forgetRun,
};

/** One attempt: kubeadm, unless it has succeeded before, and proof that the machine is a node then. */
async function bootstrapNode(
  command: KubeadmCommand,
  context: StepContext,
  owner: InventoryOwner,
  shellState: string,
): Promise<StepResult> {
  const { host } = context;
  if (!(await hasSucceeded(host, command.verb, owner))) {
    const failed = await attemptKubeadm(command, context, owner, shellState);
    if (failed) return failed;
    await noteSuccess(host, owner);
  }
  const failed = await verifiedNode(command, context);
  if (failed) return failed;
  await announce(host, command);
  await forgetSuccess(host);
  await forgetAttempt(host);
  await forgetInventory(host);
  return { done: true };
}

/** Tells the world that the node is bootstrapped; also after a reboot, which empties /run. */
async function announce(host: Host, command: KubeadmCommand): Promise<void> {
  for (const path of new Set([SENTINEL, command.sentinel ?? SENTINEL])) {
    if ((await host.files.stat(path)) === undefined) await writeSentinel(host, path);
  }
}
