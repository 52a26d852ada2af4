import { existsSync } from 'node:fs';
import { LabError, run, runOk } from '../process/command.ts';

/** Installs `debianPackage` where `path` is missing: of what tests call on the host itself, a plain Debian lacks little. */
export async function needProgram(path: string, debianPackage: string): Promise<void> {
  if (existsSync(path)) return;
  const wait = ['-o', 'DPkg::Lock::Timeout=300'];
  const install = () => run('apt-get', [...wait, '-qy', 'install', '--no-install-recommends', debianPackage]);
  let done = await install();
  if (done.code !== 0) {
    await runOk('apt-get', ['-q', 'update']);
    done = await install();
  }
  if (done.code !== 0)
    throw new LabError(`${path} is missing and apt-get cannot install it: ${done.stderr.trim()}`);
}
