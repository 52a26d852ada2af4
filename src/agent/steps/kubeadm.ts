import { Redactor } from '../../kit/redact.ts';
import type { KubeadmCommand } from '../../protocol/document.ts';
import type { Failure } from '../../protocol/journal.ts';
import { SENTINEL } from '../../protocol/paths.ts';
import { failure } from '../engine/failure.ts';
import { writeSentinel } from '../engine/outcome.ts';
import type { StepContext, StepResult } from '../engine/step.ts';
import type { Host } from '../host/host.ts';
import { type AttemptResult, runAttempt } from '../kubeadm/attempt.ts';
import { callFacts } from '../kubeadm/call-facts.ts';
import type { KubeadmFailure } from '../kubeadm/classify.ts';
import { KubeadmError } from '../kubeadm/failure.ts';
import { forgetInventory, type InventoryOwner, readInventory, takeInventory } from '../kubeadm/inventory.ts';
import { looksJoined } from '../kubeadm/joined.ts';
import { kubeadmMinor } from '../kubeadm/kubeadm-minor.ts';
import { cleanAfter } from '../kubeadm/leftovers.ts';
import { kubeadmPolicy } from '../kubeadm/policy.ts';
import { findRealKubeadm, slipwayInstead } from '../kubeadm/real-kubeadm.ts';
import { findEarlierRun, forgetRun } from '../kubeadm/run.ts';
import { shapedArguments } from '../kubeadm/shaped-arguments.ts';
import { forgetSuccess, hasSucceeded, noteSuccess } from '../kubeadm/succeeded.ts';
import type { Runner } from './runner.ts';
import { verifiedNode } from './verify-node.ts';

const RETRY = { permanent: 'no', transient: 'yes', 'until-deadline': 'until-deadline' } as const;

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
    const failed = await runOnce(command, context, owner, shellState);
    if (failed) return failed;
    await noteSuccess(host, owner);
  }
  const failed = await verifiedNode(command, context);
  if (failed) return failed;
  await announce(host, command);
  await forgetSuccess(host);
  await forgetInventory(host);
  return { done: true };
}

/** Undefined when kubeadm has succeeded. A run that an earlier, killed agent began is taken over instead of repeated. */
async function runOnce(
  command: KubeadmCommand,
  context: StepContext,
  owner: InventoryOwner,
  shellState: string,
): Promise<StepResult | undefined> {
  const { host, signal } = context;
  const { verb } = command;
  try {
    const path = await findRealKubeadm(host, host.root === '/' ? process.execPath : undefined);
    const isRepeated = await wasTried(command, context, owner);
    const inventory = await takeInventory(host, owner);
    const earlier = await findEarlierRun(host);
    const adopts = earlier === 'running' || earlier === 'ended';
    if (!adopts && isRepeated) {
      await context.progress('cleaning up after the attempt before');
      const spec = { verb, phase: lastPhase.get(command), kubeadmPath: path };
      const { problems } = await cleanAfter(host, inventory, spec);
      for (const message of problems)
        await context.finding({ severity: 'warning', code: 'LeftoversFound', message });
    }
    if (adopts)
      await context.progress(`found kubeadm ${verb} of an earlier run of the agent; waiting for it`);
    const { args, converted } = await shapedArguments(host, command, {
      discoveryTimeoutSeconds: kubeadmPolicy(verb).discoveryTimeoutSeconds,
      minor: command.configPath === undefined ? undefined : await kubeadmMinor(host, path),
    });
    if (converted)
      await context.progress(
        `kubeadm reads its configuration in ${converted.to} instead of ${converted.from}`,
      );
    const run = await runAttempt(host, {
      ...(await callFacts(host, command)),
      tokenWasKnown: knownTokens.has(command),
      path,
      verb,
      args,
      shellState,
      signal,
      onProgress: (message) => void context.progress(message, true),
      onLine: redacting(context),
    });
    if (run.tokenWasKnown) knownTokens.add(command);
    const instead = run.exitStatus === 0 ? undefined : slipwayInstead({ path, stderr: run.stderr });
    if (instead) return { done: false, failure: instead, retry: 'no' };
    return run.exitStatus === 0 ? undefined : failedRun(command, run, signal);
  } catch (error) {
    if (error instanceof KubeadmError) return { done: false, failure: error.failure, retry: 'no' };
    throw error;
  }
}

/**
 * Did an attempt on this machine come before? Its inventory stays when a sequence ends without success, so the next
 * boot's first attempt begins as cleanly as a second one; unless somebody has completed the node by hand since.
 */
async function wasTried(
  { verb }: KubeadmCommand,
  { host, attempt, interrupted }: StepContext,
  { instance }: InventoryOwner,
): Promise<boolean> {
  if (attempt > 1 || interrupted) return true;
  return (await readInventory(host, instance)) !== undefined && !(await looksJoined(host, verb));
}

/** kubeadm's phase of the last failure, so that only what it left is cleaned; unknown after a restart of the agent. */
const lastPhase = new WeakMap<KubeadmCommand, string>();

/** Whose bootstrap token the cluster has accepted once: when it no longer does, the token has expired. */
const knownTokens = new WeakSet<KubeadmCommand>();

function failedRun(command: KubeadmCommand, run: AttemptResult, signal: AbortSignal): StepResult {
  const found = run.failure;
  if (found === undefined || (run.exitStatus === undefined && !signal.aborted)) {
    return { done: false, failure: vanished(command.verb), retry: 'yes' };
  }
  // It was ended by us; what it says of that is no reason. What it had complained of before is.
  if (signal.aborted && (found.code === 'Unclassified' || found.code === 'KubeadmInterrupted')) {
    const cause = `The deadline passed while kubeadm ${command.verb} was still running.`;
    return {
      done: false,
      failure: failure('DeadlineExceeded', cause, { lines: found.lines ?? [] }),
      retry: 'until-deadline',
    };
  }
  if (found.phase) lastPhase.set(command, found.phase);
  else lastPhase.delete(command);
  return { done: false, failure: journalled(found), retry: RETRY[found.persistence] };
}

function journalled({ code, cause, remedy, exitStatus, lines }: KubeadmFailure): Failure {
  return {
    code,
    cause,
    remedy,
    ...(exitStatus === undefined ? {} : { exitStatus }),
    ...(lines ? { lines: lines.slice(-3) } : {}),
  };
}

function vanished(verb: string): Failure {
  return {
    code: 'Interrupted',
    cause: `kubeadm ${verb} was killed and left no exit status.`,
    remedy: 'Look for the out-of-memory killer in the kernel log; Slipway tries again.',
  };
}

/** Tells the world that the node is bootstrapped; also after a reboot, which empties /run. */
async function announce(host: Host, command: KubeadmCommand): Promise<void> {
  for (const path of new Set([SENTINEL, command.sentinel ?? SENTINEL])) {
    if ((await host.files.stat(path)) === undefined) await writeSentinel(host, path);
  }
}

function redacting({ output }: StepContext): (line: string, stream: 'stdout' | 'stderr') => void {
  const redactors = { stdout: new Redactor(), stderr: new Redactor() };
  return (line, stream) => {
    const safe = redactors[stream].line(line);
    if (safe !== undefined) output(safe, stream);
  };
}
