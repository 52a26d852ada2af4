import { BACKOFF } from '../../../kit/backoff.ts';
import { verifyNode } from '../../cluster/verify.ts';
import type { KubeadmCommand } from '../../document/document.ts';
import type { StepContext, StepResult } from '../../engine/step.ts';
import { type Host, HostError } from '../../host/host.ts';
import type { KubeadmCall } from '../../kubeadm/config/call.ts';
import { clearAttempt } from '../../kubeadm/repeat/attempt-note.ts';
import { clearInventory } from '../../kubeadm/repeat/inventory.ts';
import { isStillJoined } from '../../kubeadm/repeat/joined.ts';
import { clearSuccess, hasSucceeded, recordSuccess } from '../../kubeadm/repeat/success-marker.ts';
import { clearRun, findEarlierRun } from '../../kubeadm/run/run-kubeadm.ts';
import type { Shared } from '../kind/shared.ts';
import type { Work } from '../kind/step-kind.ts';
import { attemptKubeadm } from './kubeadm-attempt.ts';

export interface KubeadmSpec {
  /** Its place among the commands, which share a shell. */
  index: number;
  command: KubeadmCommand;
}

/** `kubeadm init` or `join`: the step for which all the others exist. */
export const bootstrapNode: Work<KubeadmSpec> = ({ index, command }, shared) => {
  const memory: Memory = { isUnnoted: false };
  return {
    group: 'runcmd',
    attempts: Number.POSITIVE_INFINITY,
    backoff: BACKOFF[command.verb],

    async run(context) {
      const { shell } = shared;
      await shell.waitBefore(index, context.signal);
      const result = await runOrProve(command, context, shared, memory);
      if (result.done) await shell.answer(index, 0);
      return result;
    },

    isUnderWay: async (host) => ['running', 'ended'].includes((await findEarlierRun(host)) ?? ''),
    holds: (host) => isStillJoined(host, command.verb),

    // Only now does the journal say that the node is made. Without that word, a later run would clean up what these files explain.
    async settled(host, isDone) {
      if (!isDone && memory.isUnnoted) return;
      if (isDone) {
        await clearAttempt(host);
        await clearInventory(host);
        await clearSuccess(host);
      }
      await clearRun(host);
    },
  };
};

interface Memory {
  /** kubeadm has succeeded, and the disk took no note of it: then the files of its run tell a later agent. */
  isUnnoted: boolean;
}

/** Runs kubeadm unless it has succeeded before, and then demands proof that the machine is a node. */
async function runOrProve(
  command: KubeadmCommand,
  context: StepContext,
  shared: Shared,
  memory: Memory,
): Promise<StepResult> {
  const { host } = context;
  const { owner } = shared;
  if (await isNodeAlready(command, context)) return leftAlone(command, context);
  if (memory.isUnnoted || !(await hasSucceeded(host, command.verb, owner))) {
    const failed = memory.isUnnoted ? undefined : await attemptKubeadm(command, context, shared);
    if (failed) return failed;
    memory.isUnnoted = !(await isNoted(host, owner));
  }
  return (await verifiedNode(shared.call(command), context)) ?? { done: true };
}

/** Writes down that kubeadm has succeeded. A disk that is full is no reason to undo a node. */
async function isNoted(host: Host, owner: Shared['owner']): Promise<boolean> {
  try {
    await recordSuccess(host, owner);
    return true;
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    return false;
  }
}

/** Asks the journal and what kubeadm left; a run that an earlier agent began is taken over. */
async function isNodeAlready(
  { verb }: KubeadmCommand,
  { host, doneOtherwise }: StepContext,
): Promise<boolean> {
  if (doneOtherwise !== true || !(await isStillJoined(host, verb))) return false;
  return !['running', 'ended'].includes((await findEarlierRun(host)) ?? '');
}

/** kubeadm would fail, and what cleans up behind it would take a node that works for what is left of one. */
async function leftAlone(command: KubeadmCommand, { finding }: StepContext): Promise<StepResult> {
  const message = `kubeadm ${command.verb} was not called again: this machine has joined, and other user data change nothing of that.`;
  await finding({ severity: 'warning', code: 'NodeLeftAsItIs', message });
  return { done: true, message: 'left as it is: a machine that has joined is not joined again' };
}

/** Undefined when the machine is the node that its configuration requests; else why it is not. */
async function verifiedNode(call: KubeadmCall, context: StepContext): Promise<StepResult | undefined> {
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
