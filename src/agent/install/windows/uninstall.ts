import { STATE_DIR, WINDOWS_SHIM } from '../../document/paths.ts';
import { type Host, HostError } from '../../host/host.ts';
import { windowsProgram } from '../../host/windows-program.ts';
import { unitFile } from '../units.ts';
import { FOLDER, LOCAL_SCRIPT, PROGRAM, SHIM, TASK, TASK_FILE } from './layout.ts';
import { removeFromPath } from './machine-path.ts';

const IN_USE = ['EPERM', 'EACCES', 'EBUSY'];

/**
 * Takes back what `installOnWindows` has done. Windows removes no program that runs, by none of its names: the one that was asked
 * stays, as does that of a reporter at work.
 *
 * @returns a sentence for each thing that is gone, or that stays
 */
export async function uninstallOnWindows(host: Host, state: boolean): Promise<string[]> {
  const done: string[] = [];
  const remove = async (path: string): Promise<void> => {
    if ((await host.files.stat(path)) === undefined) return;
    await host.files.remove(path);
    done.push(`${path} removed`);
  };
  if (await removeFromPath(host, WINDOWS_SHIM)) done.push(`${WINDOWS_SHIM} taken from the machine's PATH`);
  if ((await host.files.stat(TASK_FILE)) !== undefined) {
    const argv = [windowsProgram(host, 'schtasks.exe'), '/delete', '/tn', TASK, '/f'] as [
      string,
      ...string[],
    ];
    const { exitStatus, stderr } = await host.processes.run({ argv, timeoutMs: 30_000 });
    done.push(exitStatus === 0 ? `the task "${TASK}" removed` : `the task "${TASK}" stays: ${stderr.trim()}`);
    await remove(TASK_FILE);
  }
  const script = await host.files.readIfPresent(LOCAL_SCRIPT);
  if (script?.toString('utf8') === unitFile('10-slipway.cmd')) await remove(LOCAL_SCRIPT);
  else if (script !== undefined) done.push(`${LOCAL_SCRIPT} stays: it was changed`);
  if (state) await remove(STATE_DIR);
  for (const path of [SHIM, PROGRAM])
    await remove(path).catch((error: unknown) => {
      if (!(error instanceof HostError) || !IN_USE.includes(error.errno)) throw error;
      done.push(`${path} stays while it runs: remove ${FOLDER} when it has ended`);
    });
  return done;
}
