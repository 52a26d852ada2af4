import { win32 } from 'node:path';
import { STATE_DIR, WINDOWS_SHIM } from '../../document/paths.ts';
import { type Host, HostError } from '../../host/host.ts';
import { windowsProgram } from '../../host/windows-program.ts';
import { refuseDowngrade } from '../install.ts';
import { InstallError } from '../install-error.ts';
import { unitFile } from '../layout.ts';
import { FOLDER, LOCAL_SCRIPT, PROGRAM, SHIM, TASK, TASK_FILE } from './layout.ts';
import { addToPath, removeFromPath } from './machine-path.ts';
import { secureStateFolder } from './state-folder.ts';

interface WindowsWishes {
  readonly shim: boolean;
  readonly service: boolean;
  readonly report: boolean;
  /** The version of the running program. */
  readonly version: string;
  /** Path of the running program. */
  readonly self: string;
}

const LIMIT_MS = 30_000;

/**
 * Puts this program where it belongs on a Windows machine, and what was wished for: the shim, a program `kubeadm.exe` of its own
 * in a folder that comes first in PATH; cloudbase-init's local script, which is what starts Slipway; the task of the
 * reporter. Run twice it changes nothing.
 *
 * @returns a sentence for each thing that was looked at
 * @throws InstallError
 */
export async function installOnWindows(host: Host, wishes: WindowsWishes): Promise<string[]> {
  if (host.root !== '/')
    throw new InstallError('on Windows the machine itself is set up, not one below --root');
  const { self, version } = wishes;
  const isThere = self.toLowerCase() === PROGRAM.toLowerCase();
  if (!isThere) await refuseDowngrade(host, PROGRAM, version);
  const unknown = await secureStateFolder(host);
  const done = unknown === undefined ? [] : [unknown];
  const program = isThere ? undefined : await host.ownFiles.read(self);
  if (program !== undefined) await host.files.write(PROGRAM, program);
  done.push(isThere ? `${PROGRAM} is this program` : `${PROGRAM} written`);
  if (wishes.shim) done.push(...(await putShim(host)));
  if (wishes.service) done.push(await put(host, LOCAL_SCRIPT, unitFile('10-slipway.cmd')));
  if (wishes.report) done.push(await putTask(host));
  return done;
}

/** The old shim goes first: it may be an older program's. Another name of the same file takes no space. */
async function putShim(host: Host): Promise<string[]> {
  await host.files.remove(SHIM);
  await host.files.link(PROGRAM, SHIM);
  const added = await addToPath(host, WINDOWS_SHIM);
  return [
    `${SHIM} is ${PROGRAM}`,
    `${WINDOWS_SHIM} ${added ? 'put first' : 'is first'} in the machine's PATH; services that run take it over when they start again`,
    ...(await passedBy(host)),
  ];
}

/** cmd.exe takes a program of the folder it works in before those of PATH; services work in System32. */
async function passedBy(host: Host): Promise<string[]> {
  if (host.env('NoDefaultCurrentDirectoryInExePath') !== undefined) return [];
  const real = await host.processes.which(
    'kubeadm',
    async (path) => !path.toLowerCase().startsWith(SHIM_FOLDER),
  );
  const inSystem = windowsProgram(host, 'kubeadm.exe');
  if ((await host.files.stat(inSystem)) !== undefined)
    return [
      `WARNING: ${inSystem} comes before the shim for every command of a service: move it to another folder, such as C:\\k`,
    ];
  if (real === undefined) return [];
  const folder = win32.dirname(real);
  return [
    `a command that changes into ${folder} calls the kubeadm there instead of the shim, unless the machine has the variable NoDefaultCurrentDirectoryInExePath`,
  ];
}

const SHIM_FOLDER = `${WINDOWS_SHIM.toLowerCase()}\\`;

async function put(host: Host, path: string, text: string): Promise<string> {
  if ((await host.files.readIfPresent(path))?.toString('utf8') === text) return `${path} is there`;
  await host.files.write(path, text);
  return `${path} written`;
}

async function putTask(host: Host): Promise<string> {
  await put(host, TASK_FILE, unitFile('report.xml'));
  const { exitStatus, stderr } = await host.processes.run({
    argv: [windowsProgram(host, 'schtasks.exe'), '/create', '/tn', TASK, '/xml', TASK_FILE, '/f'],
    timeoutMs: LIMIT_MS,
  });
  if (exitStatus !== 0) throw new InstallError(`the task "${TASK}" cannot be made: ${stderr.trim()}`);
  return `the task "${TASK}" starts the reporter at boot`;
}

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
