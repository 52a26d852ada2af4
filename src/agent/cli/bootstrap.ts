import type { Failure } from '../../protocol/journal.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { bootstrap } from '../bootstrap/bootstrap.ts';
import type { BootstrapOptions } from '../bootstrap/options.ts';
import { AgentBusyError } from '../bootstrap/with-verdict.ts';
import { createHost } from '../create-host.ts';
import { wakeReporter } from '../tools/wake-reporter.ts';
import {
  durationOption,
  formatOption,
  requireRoot,
  requireRootDirectory,
  sourceOptions,
  withUsageErrors,
} from './options/options.ts';
import { catchUncaughtErrors } from './process/crash.ts';
import { stopSignal } from './process/stop-signal.ts';
import { version } from './process/version.ts';
import { lineWatcher } from './text/bounded-writer.ts';
import { liveWatcher } from './text/live-line.ts';
import { printFailure } from './text/print-failure.ts';

const TRY_AGAIN = 75;

export interface BootstrapFlags {
  userData?: string;
  metaData?: string;
  networkConfig?: string;
  source?: string;
  root: string;
  deadline?: string;
  output: string;
  verbose?: boolean;
  cloudbaseInit?: boolean;
  again?: boolean;
}

/** `slipway bootstrap`; the exit status is the verdict's. */
export function bootstrapCommand(flags: BootstrapFlags): Promise<number> {
  return withUsageErrors(async () => {
    const { root, ...files } = sourceOptions(flags);
    const format = formatOption(flags.output);
    if (root === '/') requireRoot('bootstrap this machine', 'slipway bootstrap');
    else
      requireRoot(
        'give files their owners and run commands below a directory',
        `slipway bootstrap --root ${root}`,
      );
    const host = createHost({ root, programs: 'trust' });
    await requireRootDirectory(host);
    // Somebody may call this long after the boot, as after a reset.
    void wakeReporter(host);
    const live = process.stderr.isTTY && !flags.verbose ? liveWatcher() : undefined;
    const stop = new AbortController();
    let reboots = false;
    const askReboot: BootstrapOptions['askReboot'] = (when) => {
      reboots ||= when === 'now';
      stop.abort();
    };
    let hidden = false;
    const options = {
      host,
      agent: version().version,
      ...files,
      ...(flags.deadline === undefined
        ? {}
        : { deadlineSeconds: durationOption('deadline', flags.deadline) }),
      stop: stopSignal(stop),
      ...(flags.cloudbaseInit ? { askReboot } : {}),
      ...(flags.again ? { isAgain: true } : {}),
      verdict: {
        fault: catchUncaughtErrors(stop),
        unwritten: (failure: Failure) => {
          hidden = true;
          printFailure(failure);
        },
      },
      watcher: live ?? lineWatcher(format === 'json' ? 'stderr' : undefined),
    };
    try {
      const outcome = await bootstrap(options);
      live?.end();
      tell(outcome, format);
      await (await import('./process/collect-after-failure.ts')).collectAfterFailure(options.host, outcome);
      if (flags.cloudbaseInit) {
        const { cloudbaseInitStatus } = await import('./process/cloudbase-init.ts');
        return await cloudbaseInitStatus(options.host, outcome, reboots);
      }
      // Nothing comes for whoever waits for the file, but another start writes it.
      return outcome.exitStatus === 0 && hidden ? TRY_AGAIN : outcome.exitStatus;
    } catch (error) {
      live?.end();
      if (!(error instanceof AgentBusyError)) throw error;
      process.stderr.write(
        `slipway: ${error.message}; it is left alone. Follow it with: slipway status --wait\n`,
      );
      return TRY_AGAIN;
    }
  });
}

function tell(outcome: Outcome, format: 'text' | 'json'): void {
  if (format === 'json') process.stdout.write(`${JSON.stringify(outcome, undefined, 2)}\n`);
  if (outcome.failure) printFailure(outcome.failure);
}
