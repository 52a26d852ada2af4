import type { Outcome } from '../../protocol/outcome.ts';
import { AgentBusyError, bootstrap } from '../bootstrap.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { complain } from './complain.ts';
import { lineWatcher } from './line-watcher.ts';
import { liveWatcher } from './live-watcher.ts';
import { durationOption, formatOption, sourceOptions, withUsage } from './options.ts';
import { stopSignal } from './stop-signal.ts';
import { version } from './version.ts';

export interface BootstrapFlags {
  userData?: string;
  metaData?: string;
  root: string;
  deadline: string;
  output: string;
  verbose?: boolean;
}

/** `slipway bootstrap`; the exit status is the verdict's. */
export function bootstrapCommand(flags: BootstrapFlags): Promise<number> {
  return withUsage(async () => {
    const { root, ...files } = sourceOptions(flags);
    const format = formatOption(flags.output);
    const live = process.stderr.isTTY && !flags.verbose ? liveWatcher() : undefined;
    const options = {
      host: createLinuxHost({ root }),
      agent: version().version,
      ...files,
      deadlineSeconds: durationOption('deadline', flags.deadline),
      stop: stopSignal(),
      watcher: live ?? lineWatcher(format === 'json' ? 'stderr' : undefined),
    };
    try {
      const outcome = await bootstrap(options);
      live?.end();
      tell(outcome, format);
      return outcome.exitStatus;
    } catch (error) {
      live?.end();
      if (!(error instanceof AgentBusyError)) throw error;
      process.stderr.write(
        `slipway: ${error.message}; it is left alone. Follow it with: slipway status --wait\n`,
      );
      return 75;
    }
  });
}

function tell(outcome: Outcome, format: 'text' | 'json'): void {
  if (format === 'json') process.stdout.write(`${JSON.stringify(outcome, undefined, 2)}\n`);
  if (outcome.failure) complain(outcome.failure);
}
