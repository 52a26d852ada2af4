import { inPlatformWords } from '../../../protocol/codes/on-windows.ts';
import type { Failure } from '../../../protocol/journal.ts';
import { Redactor } from '../../../secrets/redact.ts';
import { awaitNodeName } from '../../cluster/node-name.ts';
import type { KubeadmFailure } from '../../diagnosis/words/classify.ts';
import type { KubeadmCommand } from '../../document/document.ts';
import { failure } from '../../engine/failure.ts';
import type { StepContext, StepResult } from '../../engine/step.ts';
import type { Host } from '../../host/host.ts';
import type { KubeadmConfig } from '../../kubeadm/config/config.ts';
import { otherNodeName } from '../../kubeadm/config/kubelet/node-registration.ts';
import { shapedArguments } from '../../kubeadm/config/shaped-arguments.ts';
import { KubeadmError } from '../../kubeadm/kubeadm-error.ts';
import { type AttemptNote, memberIn, readAttempt, recordAttempt } from '../../kubeadm/repeat/attempt-note.ts';
import { withLearner } from '../../kubeadm/repeat/etcd/name-learner.ts';
import { type InventoryOwner, readInventory, takeInventory } from '../../kubeadm/repeat/inventory.ts';
import { isStillJoined } from '../../kubeadm/repeat/joined.ts';
import { prepareRepeat } from '../../kubeadm/repeat/repeat.ts';
import { type ExplainedRun, runExplained } from '../../kubeadm/run/explained-run.ts';
import { findRealKubeadm, kubeadmMinor, noKubeadmFailure } from '../../kubeadm/run/real-kubeadm.ts';
import { findEarlierRun } from '../../kubeadm/run/run-kubeadm.ts';
import { capSeconds, DISCOVERY_SECONDS, LAST_WORD_SECONDS } from '../../kubeadm/run/timeouts.ts';
import { recordStateBefore } from '../../reset/state-before.ts';
import type { Shared } from '../kind/shared.ts';
import { callEnvironment } from './call-environment.ts';
import { isGraceOver, lackingIn } from './grace.ts';
import { joinBy } from './join-by.ts';
import { prepareCredential } from './kubelet-credential.ts';
import { prepareRuntime } from './prepare-runtime.ts';

const RETRY = { permanent: 'no', transient: 'yes', 'until-deadline': 'until-deadline' } as const;

/** What the functions of this file share. */
interface AttemptParts {
  command: KubeadmCommand;
  context: StepContext;
  owner: InventoryOwner;
  /** Empty if the configuration cannot be read; kubeadm itself explains that best. */
  config: Partial<KubeadmConfig>;
  note: AttemptNote | undefined;
}

/**
 * Runs kubeadm once, after it has put right what the attempt before left. It takes over the run of an
 * earlier, killed agent instead of repeating it. Undefined when kubeadm has succeeded.
 */
export async function attemptKubeadm(
  command: KubeadmCommand,
  context: StepContext,
  { owner, shell, call }: Shared,
): Promise<StepResult | undefined> {
  const { host, signal } = context;
  const { verb } = command;
  const began = host.clock.monotonic();
  try {
    const path = await findRealKubeadm(host, host.root === '/' ? process.execPath : undefined);
    const isRepeated = await wasTried(command, context, owner);
    const reading = await call(command).read();
    const config: Partial<KubeadmConfig> = reading.config ?? {};
    const inventory = await takeInventory(host, owner, config);
    await recordStateBefore(host, owner.instance);
    const earlier = await findEarlierRun(host);
    const adopts = earlier === 'running' || earlier === 'ended';
    const note = isRepeated ? await readAttempt(host, { ...owner, verb }) : undefined;
    const attempt = { command, context, owner, config, note };
    const cluster = adopts
      ? undefined
      : await joinBy(command, config, context, shell.directory, note?.lacking?.seconds);
    const { args, converted } = await shapedArguments(host, reading, {
      discoveryTimeoutSeconds: cluster?.inVain ? LAST_WORD_SECONDS : DISCOVERY_SECONDS,
      minor: shapes(command, config) ? await kubeadmMinor(host, path) : undefined,
      capSeconds: capSeconds(context.remainingMs()),
      labels: adopts ? undefined : await labelsFor(host, command),
      endpoint: command.endpoints === undefined ? undefined : cluster?.endpoint,
    });
    if (converted)
      await context.progress(
        `kubeadm reads its configuration in ${converted.to} instead of ${converted.from}`,
      );
    let skipped: string[] = [];
    if (adopts)
      await context.progress(`found kubeadm ${verb} of an earlier run of the agent; waiting for it`);
    else if (isRepeated) {
      const repeat = await prepareRepeat(host, {
        ...{ verb, path, args, note, inventory, signal },
        controlPlane: config.controlPlane ?? false,
        onProgress: (message) => void context.progress(message),
      });
      if (repeat.kind === 'blocked') return { done: false, failure: repeat.failure, retry: 'until-deadline' };
      if (repeat.kind === 'resume') skipped = repeat.skip;
      else await tellProblems(context, repeat.problems);
    }
    if (!adopts) {
      await prepareCredential(host, verb, nodeNameOf(host, config));
      const silent = await prepareRuntime({ verb, path, args, config }, context);
      if (silent) return { done: false, failure: silent, retry: 'until-deadline' };
    }
    const run = await runExplained(host, {
      endpoint: config.apiServer,
      criSocket: config.criSocket,
      tokenId: config.tokenId,
      tokenWasKnown: config.tokenId !== undefined && note?.knownToken === config.tokenId,
      path,
      verb,
      args: withoutPhases(args, skipped, config.skipPhases ?? []),
      ...(await callEnvironment(host, command, shell.directory)),
      signal,
      onProgress: (message) => void context.progress(message, true),
      onLine: redacting(context),
    });
    const none = run.exitStatus === 0 ? undefined : noKubeadmFailure({ path, ...run });
    if (none) return { done: false, failure: none, retry: 'no' };
    if (run.exitStatus === 0) return undefined;
    const seconds = (host.clock.monotonic() - began) / 1000;
    const lacking = lackingIn(run.failure, cluster?.lacks, seconds, note?.lacking);
    return await failedRun(attempt, run, skipped.length > 0, lacking);
  } catch (error) {
    if (error instanceof KubeadmError) return { done: false, failure: error.failure, retry: 'no' };
    throw error;
  }
}

/** What kubeadm is told depends on its version only where there is a configuration, or can be one. */
const shapes = ({ configPath, patches, labels }: KubeadmCommand, config: Partial<KubeadmConfig>): boolean =>
  [configPath, patches, labels, config.discoveryFile].some((path) => path !== undefined) ||
  config.apiServer !== undefined;

/**
 * Did an attempt come before on this machine? A sequence that ends without success leaves its inventory, so
 * the next boot's first attempt begins as cleanly as a second one. Not if somebody has completed the node by
 * hand since.
 */
async function wasTried(
  { verb }: KubeadmCommand,
  { host, attempt, interrupted }: StepContext,
  { instance }: InventoryOwner,
): Promise<boolean> {
  if (attempt > 1 || interrupted) return true;
  return (await readInventory(host, instance)) !== undefined && !(await isStillJoined(host, verb));
}

/** Their values, which were looked at before anything was touched. */
async function labelsFor(host: Host, { labels = [] }: KubeadmCommand): Promise<Record<string, string>> {
  if (labels.length === 0) return {};
  const { labelsForMachine } = await import('../../facts/judge/labels.ts');
  return (await labelsForMachine(host, labels)).labels;
}

async function tellProblems(context: StepContext, problems: readonly string[]): Promise<void> {
  for (const message of problems)
    await context.finding({ severity: 'warning', code: 'LeftoversFound', message });
}

/** The flag replaces the list in the configuration, so it repeats that list. */
function withoutPhases(
  args: readonly string[],
  skipped: readonly string[],
  users: readonly string[],
): string[] {
  if (skipped.length === 0) return [...args];
  return [...args, `--skip-phases=${[...new Set([...skipped, ...users])].join()}`];
}

async function failedRun(
  attempt: AttemptParts,
  run: ExplainedRun,
  resumed: boolean,
  lacking: AttemptNote['lacking'],
): Promise<StepResult> {
  const { command, context, owner, note, config } = attempt;
  const { host, signal } = context;
  const found = run.failure;
  const isOver = isGraceOver(lacking);
  const isVanished = found === undefined || (run.exitStatus === undefined && !signal.aborted);
  const member = memberIn(`${run.stdout}\n${run.stderr}`) ?? note?.etcdMember;
  await recordAttempt(host, {
    instance: owner.instance,
    verb: command.verb,
    code: isVanished ? 'Interrupted' : found.code,
    // Something ended kubeadm from outside; what it said before does not tell how far it came.
    ...(isVanished || found.phase === undefined ? {} : { phase: found.phase }),
    ...(member === undefined ? {} : { etcdMember: member }),
    resumed: resumed ? (note?.resumed ?? 0) + 1 : 0,
    ...(run.tokenWasKnown && config.tokenId !== undefined ? { knownToken: config.tokenId } : {}),
    // Another start has its own grace.
    ...(lacking && !isOver ? { lacking } : {}),
  });
  if (isVanished) return { done: false, failure: vanished(command.verb), retry: 'yes' };
  // We ended it: what it says of that is no reason, what it had complained of before is one.
  if (signal.aborted && (found.code === 'Unclassified' || found.code === 'KubeadmInterrupted')) {
    const cause = `The deadline passed while kubeadm ${command.verb} was still running.`;
    return {
      done: false,
      failure: failure('DeadlineExceeded', cause, { lines: found.lines ?? [] }),
      retry: 'until-deadline',
    };
  }
  const name = nodeNameOf(host, config);
  const other = otherNodeName(name, config.hostnameOverride);
  if (other !== undefined && (found.code === 'NodeNameInUse' || found.code === 'NodeNotRegistered')) {
    const cause = `The kubelet registers this machine as ${other} (hostname-override), and kubeadm looks for ${name}.`;
    return {
      done: false,
      failure: failure('NodeNameWrong', cause, { lines: found.lines ?? [] }),
      retry: 'no',
    };
  }
  if (found.code === 'NodeNameInUse') return nameInUse(attempt, found);
  const isRefused = found.code === 'EtcdLearnerNotReady' && found.facts?.saysWhy === true;
  const failed = isRefused ? await withLearner(host, journalled(found)) : journalled(found);
  if (!isOver || lacking === undefined)
    return { done: false, failure: failed, retry: RETRY[found.persistence] };
  const cause = `${failed.cause.replace(/\.$/, '')}, and nothing has changed for ${Math.round(lacking.seconds / 60)} minutes.`;
  return { done: false, failure: { ...failed, cause }, retry: 'no' };
}

/**
 * Waits, without repeating kubeadm, until the cluster has noticed that the Node's machine is gone, or it is
 * clear that it is not.
 */
async function nameInUse(
  { context, config, note }: AttemptParts,
  found: KubeadmFailure,
): Promise<StepResult> {
  const { host, signal } = context;
  const { apiServer: endpoint, token, caCertPath } = config;
  const ca = caCertPath === undefined ? undefined : await host.files.readIfPresent(caCertPath, 1024 * 1024);
  const result = { done: false, failure: journalled(found), retry: 'until-deadline' } as const;
  if (endpoint === undefined || token === undefined || ca === undefined) return result;
  const verdict = await awaitNodeName(host, {
    ...{ endpoint, token, signal },
    ca: ca.toString('utf8'),
    nodeName: nodeNameOf(host, config),
    onProgress: (message) => void context.progress(message),
  });
  if (verdict === 'own')
    return {
      ...result,
      failure: {
        ...result.failure,
        cause: `The Node ${nodeNameOf(host, config)} is in the cluster and Ready, and it is this machine's own, from an attempt before.`,
        remedy: inPlatformWords(
          'Leave the Node as it is: Slipway tries again when the cluster has noticed that its kubelet ended. If it stays Ready, look for another kubelet that runs on this machine (pgrep -a kubelet).',
        ),
      },
    };
  // The first time the cluster's controllers may be busy; the second time another kubelet is at work.
  if (verdict !== 'taken' || note?.code !== 'NodeNameInUse') return result;
  const cause = `${found.cause.replace(/\.$/, '')}, and stays so: another machine uses that name.`;
  return { done: false, failure: { ...result.failure, cause }, retry: 'no' };
}

const nodeNameOf = (host: Host, { nodeName }: Partial<KubeadmConfig>): string =>
  (nodeName ?? host.hostname()).trim().toLowerCase();

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
    remedy: inPlatformWords('Look for the out-of-memory killer in the kernel log; Slipway tries again.'),
  };
}

function redacting({ output }: StepContext): (line: string, stream: 'stdout' | 'stderr') => void {
  const redactors = { stdout: new Redactor(), stderr: new Redactor() };
  return (line, stream) => {
    const safe = redactors[stream].line(line);
    if (safe !== undefined) output(safe, stream);
  };
}
