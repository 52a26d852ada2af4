import { visible } from '../../kit/terminal/visible.ts';
import { redact } from '../../secrets/redact.ts';
import { createHost } from '../create-host.ts';
import { createLog } from '../report/events/log.ts';
import { probe } from '../report/probe/probe.ts';
import { report } from '../report/reporter.ts';
import { loadSettings } from '../settings/load-settings.ts';
import { describeProblem } from '../settings/settings.ts';
import { requireRoot, rootOption, withUsageErrors } from './options/options.ts';
import type { ReportFlags } from './options/plain-options.ts';
import { stopSignal } from './process/stop-signal.ts';
import { version } from './process/version.ts';

/** `slipway report`: 0 when nothing is left to report, or when it was told to stop. */
export function reportCommand(flags: ReportFlags): Promise<number> {
  return withUsageErrors(async () => {
    const host = createHost({ root: rootOption(flags.root) });
    if (flags.check) return check(host);
    if (flags.test) return test(host);
    if (host.root === '/') requireRoot('read what is to be reported', 'slipway report');
    host.stayLean();
    const log = createLog((line) => process.stdout.write(`${line}\n`));
    log(`over: ${await report({ host, version: version().version, log, stop: stopSignal() })}`);
    return 0;
  });
}

/** 0 when the controller could be told, else 1. */
async function test(host: ReturnType<typeof createHost>): Promise<number> {
  if (host.root === '/') requireRoot('show what this machine has', 'slipway report --test');
  const works = await probe({
    host,
    version: version().version,
    tell: ({ ok, step, text }) =>
      process.stdout.write(`${ok ? 'ok  ' : 'FAIL'}  ${step.padEnd(12)} ${visible(redact(text))}\n`),
  });
  return works ? 0 : 1;
}

/** 0 when every setting can be used, else 2. */
async function check(host: ReturnType<typeof createHost>): Promise<number> {
  const { settings, problems } = await loadSettings(host);
  for (const problem of problems) process.stderr.write(`slipway: ${describeProblem(problem)}\n`);
  // Tokens and headers are marked as secret and print as such.
  process.stdout.write(`${JSON.stringify(settings, undefined, 2)}\n`);
  return problems.some(({ severity }) => severity === 'error') ? 2 : 0;
}
