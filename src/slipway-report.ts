import { plainReportFlags } from './agent/cli/options/plain-options.ts';
import { runToExitStatus } from './agent/cli/process/crash.ts';
import { reportCommand } from './agent/cli/report.ts';

/**
 * The reporter alone, for the binary: it stays in memory for as long as a bootstrap takes, and the rest of the agent would
 * stay with it. The launcher starts it where the command line is plainly `slipway report`; else src/slipway.ts does.
 */
runToExitStatus(async () => {
  const flags = plainReportFlags(process.argv.slice(2));
  if (!flags) throw new Error('the reporter was started with unknown options');
  return reportCommand(flags);
});
