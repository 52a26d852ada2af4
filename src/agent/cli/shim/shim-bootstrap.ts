import type { Outcome } from '../../../protocol/outcome.ts';
import { sensitive } from '../../../secrets/sensitive.ts';
import { exposure } from '../../bootstrap/exposure.ts';
import { runDocument } from '../../bootstrap/run-document.ts';
import { wipeCallback, withSuccessCallbacks } from '../../bootstrap/source-callbacks.ts';
import { AgentBusyError, withVerdict } from '../../bootstrap/with-verdict.ts';
import { nodeProspect } from '../../callers/find-callers.ts';
import type { Document, KubeadmCommand } from '../../document/document.ts';
import type { Host } from '../../host/host.ts';
import { type BootstrapCall, withAbsoluteConfigPath } from '../../kubeadm/config/invocation.ts';
import { planCall } from '../../steps/plan.ts';
import { wakeReporter } from '../../tools/wake-reporter.ts';
import { type Loaded, loadCall, loadDocument } from '../../userdata/load.ts';
import { catchUncaughtErrors } from '../process/crash.ts';
import { stopSignal } from '../process/stop-signal.ts';
import { version } from '../process/version.ts';
import { lineWatcher } from '../text/bounded-writer.ts';
import { printFailure } from '../text/print-failure.ts';
import { openSealedKubeadmFiles } from './open-sealed-kubeadm-files.ts';

const PERMANENT_STATUS = 1;

/** Undefined where cloud-init gave none in this boot, or none that makes a node: then somebody calls kubeadm by hand. */
async function userDataOfCloudInit(host: Host): Promise<Extract<Loaded, { kind: 'document' }> | undefined> {
  const loaded = await loadDocument(host, { source: 'cloud-init' });
  return loaded.kind === 'document' && makesNode(loaded.document) ? loaded : undefined;
}

const makesNode = (document: Document): boolean =>
  document.withoutKubeadm === true || nodeProspect(document) === 'surely';

/** kubeadm's own exit status where it failed by itself, else the verdict's: 75 where the agent was told to stop. */
export function shimStatus({ exitStatus, failure }: Pick<Outcome, 'exitStatus' | 'failure'>): number {
  return exitStatus === 0 ? 0 : failure?.exitStatus || exitStatus;
}

/**
 * `kubeadm init` or `join` through the engine: one step, kubeadm's output on kubeadm's streams, kubeadm's
 * exit status.
 */
export async function shimBootstrap(host: Host, invocation: BootstrapCall): Promise<number> {
  const { verb, args, configPath } = withAbsoluteConfigPath(invocation);
  const command: KubeadmCommand = {
    kind: 'kubeadm',
    verb,
    args: sensitive(args),
    ...(configPath === undefined ? {} : { configPath }),
  };
  const agent = version().version;
  const startedAt = host.clock.monotonic();
  const watcher = lineWatcher();
  const stop = new AbortController();
  try {
    const hooks = { fault: catchUncaughtErrors(stop), unwritten: printFailure };
    const outcome = await withVerdict(host, { mode: 'shim', agent, ...hooks }, async (about) => {
      // An earlier run of this machine may have let it end.
      void wakeReporter(host);
      const unopened = await openSealedKubeadmFiles(host, command);
      const call = await loadCall(host, command);
      const given = await userDataOfCloudInit(host);
      const exposed = await exposure(host, call, given?.cloud);
      // cloud-init does not know the key `slipway` of the user data, and it says the same there as without cloud-init.
      const deadlineSeconds = given?.document.deadlineSeconds ?? call.deadlineSeconds;
      const document = {
        ...call,
        report: [...unopened, ...call.report, ...exposed],
        ...(deadlineSeconds === undefined ? {} : { deadlineSeconds }),
      };
      const run = {
        host,
        startedAt,
        stop: stopSignal(stop),
        watcher,
        asked: 'shim',
      } as const;
      const { outcome } = await runDocument(run, about, document, planCall);
      const { wipe = true } = call;
      const own = given && { ...given, document: { ...given.document, wipe } };
      return withSuccessCallbacks(run, outcome, own ? wipeCallback({ host }, own) : []);
    });
    if (outcome.failure) printFailure(outcome.failure);
    await (await import('../process/collect-after-failure.ts')).collectAfterFailure(host, outcome);
    return shimStatus(outcome);
  } catch (error) {
    if (!(error instanceof AgentBusyError)) throw error;
    process.stderr.write(`slipway: ${error.message}; it is left alone. See: slipway status\n`);
    return PERMANENT_STATUS;
  }
}
