import { sensitive } from '../../../kit/sensitive.ts';
import { AgentBusyError, concluding, runJournalled } from '../../bootstrap.ts';
import type { KubeadmCommand, ReportEntry } from '../../document/document.ts';
import { failure } from '../../engine/failure.ts';
import { outcomeWithoutSequence } from '../../engine/outcome.ts';
import type { Host } from '../../host/host.ts';
import type { Invocation } from '../../kubeadm/config/invocation.ts';
import { openShared } from '../../steps/kind/shared.ts';
import { loadSteps, type PlannedStep } from '../../steps/kind/step-kind.ts';
import { callSteps, nodeSteps, planDigest } from '../../steps/plan.ts';
import { withNodeFiles } from '../../userdata/node/node-files.ts';
import { DEFAULT_DEADLINE_SECONDS } from '../options/defaults.ts';
import { catchFaults } from '../process/crash.ts';
import { stopSignal } from '../process/stop-signal.ts';
import { version } from '../process/version.ts';
import { complain } from '../text/complain.ts';
import { lineWatcher } from '../text/line-watcher.ts';

const PERMANENT_STATUS = 1;

/** `kubeadm init` or `join` through the engine: one step, kubeadm's output on kubeadm's streams, kubeadm's exit status. */
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
      const { planned, errors } = await planInvocation(host, command);
      if (errors[0] !== undefined) {
        const badInput = failure(errors[0].code, errors[0].message, {
          lines: errors.slice(0, 3).map(({ message }) => message),
        });
        return outcomeWithoutSequence(host, about, 'bad-input', badInput);
      }
      return runJournalled({
        host,
        about,
        steps: await loadSteps(
          planned,
          openShared(host, { bootCommands: [], commands: [command] }, about.instance, watcher.output),
        ),
        digest: planDigest(planned),
        findings: [],
        commandsDecide: false,
        deadlineSeconds: DEFAULT_DEADLINE_SECONDS,
        stop: AbortSignal.any([stopSignal(), fault.signal]),
        watcher,
      });
    });
    if (outcome.failure) complain(outcome.failure);
    await (await import('../process/collect-after.ts')).collectAfter(host, outcome);
    return outcome.result === 'succeeded' ? 0 : outcome.failure?.exitStatus || PERMANENT_STATUS;
  } catch (error) {
    if (!(error instanceof AgentBusyError)) throw error;
    process.stderr.write(`slipway: ${error.message}; it is left alone. See: slipway status\n`);
    return PERMANENT_STATUS;
  }
}

/** cloud-init passes over the key `slipway`, so what the node is given comes from the files of /etc/slipway only. */
async function planInvocation(
  host: Host,
  given: KubeadmCommand,
): Promise<{ planned: PlannedStep[]; errors: ReportEntry[] }> {
  const config = given.configPath && (await host.files.readIfPresent(given.configPath));
  const document = await withNodeFiles(host, { commands: [given], report: [] });
  const steps = document.commands.flatMap((command) =>
    command.kind === 'kubeadm' ? callSteps(0, command, ['shim', config], document) : [],
  );
  const errors = document.report.filter(({ severity }) => severity === 'error');
  return { planned: [...nodeSteps(document), ...steps], errors };
}
