import { RUN_DIR } from '../../document/paths.ts';
import type { Host } from '../../host/host.ts';
import { runTool } from '../../tools/run-tool.ts';
import { isSystemdRunning } from '../../tools/systemd.ts';

/** If it exists, containerd has not read its latest configuration. A reboot ends both file and need. */
const DUE = `${RUN_DIR}/containerd-restart`;

/** Call it before writing, so that an agent that is killed in between remembers the restart. */
export async function noteRestart(host: Host): Promise<void> {
  await host.files.write(DUE, '', { volatile: true });
}

export async function isRestartDue(host: Host): Promise<boolean> {
  return (await host.files.stat(DUE)) !== undefined;
}

/**
 * Restarts containerd and returns when it reports that it is up; false below a root directory, where nothing
 * runs.
 *
 * @throws Problem ContainerdNotRestarted
 */
export async function restartContainerd(host: Host, signal: AbortSignal): Promise<boolean> {
  const runs = await isSystemdRunning(host);
  if (runs) {
    await runTool(host, ['systemctl', 'restart', 'containerd.service'], {
      doing: 'restart containerd',
      code: 'ContainerdNotRestarted',
      timeoutMs: 100_000,
      signal,
    });
  }
  await host.files.remove(DUE);
  return runs;
}
