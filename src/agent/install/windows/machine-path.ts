import type { Host } from '../../host/host.ts';
import { windowsProgram } from '../../host/windows-program.ts';
import { InstallError } from '../install-error.ts';
import { ENVIRONMENT } from './places.ts';

const LIMIT_MS = 20_000;

/** Puts a folder first in the machine's PATH. @returns false where it is there already @throws InstallError */
export async function addToPath(host: Host, folder: string): Promise<boolean> {
  const folders = await readPath(host);
  if (isSame(folders[0] ?? '', folder)) return false;
  await writePath(host, [folder, ...folders.filter((one) => !isSame(one, folder))]);
  return true;
}

/** @returns false where it is not there @throws InstallError */
export async function takeFromPath(host: Host, folder: string): Promise<boolean> {
  const folders = await readPath(host);
  const rest = folders.filter((one) => !isSame(one, folder));
  if (rest.length === folders.length) return false;
  await writePath(host, rest);
  return true;
}

/** As the registry has it: with variables in it, which `setx` would lose, and longer than that takes. */
async function readPath(host: Host): Promise<string[]> {
  const { exitStatus, stdout, stderr } = await host.processes.run({
    argv: [windowsProgram(host, 'reg.exe'), 'query', ENVIRONMENT, '/v', 'Path'],
    timeoutMs: LIMIT_MS,
  });
  const value = /^\s+Path\s+REG_(?:EXPAND_)?SZ\s+(.*?)\s*$/im.exec(stdout)?.[1];
  if (exitStatus !== 0 || value === undefined)
    throw new InstallError(
      `the machine's PATH cannot be read from the registry: ${stderr.trim() || 'no Path'}`,
    );
  return value.split(';').filter((one) => one !== '');
}

async function writePath(host: Host, folders: readonly string[]): Promise<void> {
  const { exitStatus, stderr } = await host.processes.run({
    argv: [
      windowsProgram(host, 'reg.exe'),
      'add',
      ENVIRONMENT,
      '/v',
      'Path',
      '/t',
      'REG_EXPAND_SZ',
      '/d',
      folders.join(';'),
      '/f',
    ],
    timeoutMs: LIMIT_MS,
  });
  if (exitStatus !== 0)
    throw new InstallError(`the machine's PATH cannot be changed (as administrator?): ${stderr.trim()}`);
}

const isSame = (a: string, b: string): boolean =>
  a.replace(/\\$/, '').toLowerCase() === b.replace(/\\$/, '').toLowerCase();
