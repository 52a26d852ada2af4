import { sensitive } from '../../../kit/secrets/sensitive.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { AgentBusyError, concluding, runDocument } from '../../bootstrap.ts';
import type { KubeadmCommand } from '../../document/document.ts';
import type { Host } from '../../host/host.ts';
import type { Invocation } from '../../kubeadm/config/invocation.ts';
import { planCall } from '../../steps/plan.ts';
import { loadCall } from '../../userdata/load.ts';
import { DEFAULT_DEADLINE_SECONDS } from '../options/defaults.ts';
import { catchFaults } from '../process/crash.ts';
import { stopSignal } from '../process/stop-signal.ts';
import { version } from '../process/version.ts';
import { complain } from '../text/complain.ts';
import { lineWatcher } from '../text/line-watcher.ts';

const PERMANENT_STATUS = 1;

/** kubeadm's own exit status where it failed by itself, else the verdict's: 75 where the agent was told to stop. */
export function shimStatus({ exitStatus, failure }: Pick<Outcome, 'exitStatus' | 'failure'>): number {
  return exitStatus === 0 ? 0 : failure?.exitStatus || exitStatus;
}

/**
 * `kubeadm init` or `join` through the engine: one step, kubeadm's output on kubeadm's streams, kubeadm's
 * exit status.
 */
export async function shimBootstrap(
  host: Host,
  invocation: Extract<Invocation, { kind: 'bootstrap' }>,
): Promise<number> {
  const command: KubeadmCommand = {
    kind: 'kubeadm',
    verb: invocation.verb,
    args: sensitive(invocation.args),
    ...(invocation.configPath === undefined ? {} : { configPath: invocation.configPath }),
  };
  const agent = version().version;
  const watcher = lineWatcher();
  const fault = catchFaults();
  try {
    const hooks = { fault: fault.error, unwritten: complain };
    const outcome = await concluding(host, { mode: 'shim', agent, ...hooks }, async (about) => {
      const document = await loadCall(host, command);
      const run = {
        host,
        deadlineSeconds: DEFAULT_DEADLINE_SECONDS,
        stop: AbortSignal.any([stopSignal(), fault.signal]),
        watcher,
      };
      return runDocument(run, about, document, planCall);
    });
    if (outcome.failure) complain(outcome.failure);
    await (await import('../process/collect-after.ts')).collectAfter(host, outcome);
    return shimStatus(outcome);
  } catch (error) {
    if (!(error instanceof AgentBusyError)) throw error;
    process.stderr.write(`slipway: ${error.message}; it is left alone. See: slipway status\n`);
    return PERMANENT_STATUS;
  }
}
