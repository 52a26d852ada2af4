import type { Host } from '../../host/host.ts';
import { readKey, setValue } from '../../host/windows-registry.ts';
import { InstallError } from '../install-error.ts';
import { ENVIRONMENT } from './layout.ts';

/** Puts a folder first in the machine's PATH. @returns false where it is there already @throws InstallError */
export async function addToPath(host: Host, folder: string): Promise<boolean> {
  const folders = await readPath(host);
  if (isSame(folders[0] ?? '', folder)) return false;
  await writePath(host, [folder, ...folders.filter((one) => !isSame(one, folder))]);
  return true;
}

export async function isFirstInPath(host: Host, folder: string): Promise<boolean> {
  return isSame((await readPath(host))[0] ?? '', folder);
}

/** @returns false where it is not there @throws InstallError */
export async function removeFromPath(host: Host, folder: string): Promise<boolean> {
  const folders = await readPath(host);
  const rest = folders.filter((one) => !isSame(one, folder));
  if (rest.length === folders.length) return false;
  await writePath(host, rest);
  return true;
}

/** As the registry has it: with variables in it, which `setx` would lose, and longer than that takes. */
async function readPath(host: Host): Promise<string[]> {
  const value = (await readKey(host, ENVIRONMENT)).get('path');
  if (value === undefined) throw new InstallError(`${ENVIRONMENT} has no Path that can be read`);
  return value.split(';').filter((one) => one !== '');
}

async function writePath(host: Host, folders: readonly string[]): Promise<void> {
  const value = { key: ENVIRONMENT, name: 'Path', type: 'REG_EXPAND_SZ', text: folders.join(';') } as const;
  const problem = await setValue(host, value);
  if (problem !== undefined)
    throw new InstallError(`the machine's PATH cannot be changed (as administrator?): ${problem}`);
}

const isSame = (a: string, b: string): boolean =>
  a.replace(/\\$/, '').toLowerCase() === b.replace(/\\$/, '').toLowerCase();
