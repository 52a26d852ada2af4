import { JOURNAL } from '../document/paths.ts';
import type { Host } from '../host/host.ts';
import { isSystemdRunning } from './systemd.ts';

const UNIT = 'slipway-report.service';
const TIMEOUT_MS = 10_000;

/**
 * Starts the reporter again where the image has enabled it: it ends when a boot has nothing left to report, and what somebody
 * does by hand after that changes what it has told. Nobody waits for it.
 */
export async function wakeReporter(host: Host): Promise<void> {
  await wake(host).catch(() => undefined);
}

/** Starts the reporter, which is then at work on its own. @returns why that was not possible, if so */
export async function startReporter(host: Host): Promise<string | undefined> {
  const { exitStatus, stderr } = await host.processes.run({
    argv: ['systemctl', 'start', '--no-block', UNIT],
    timeoutMs: TIMEOUT_MS,
  });
  return exitStatus === 0 ? undefined : stderr.trim() || `systemctl start ${UNIT} ended with ${exitStatus}`;
}

async function wake(host: Host): Promise<void> {
  if (!(await isSystemdRunning(host)) || (await host.files.stat(JOURNAL)) === undefined) return;
  const call = async (...words: string[]) =>
    (await host.processes.run({ argv: ['systemctl', ...words, UNIT], timeoutMs: TIMEOUT_MS })).exitStatus ===
    0;
  if (await call('is-enabled', '--quiet')) await call('start', '--no-block', '--quiet');
}
