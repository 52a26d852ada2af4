import { existsSync } from 'node:fs';
import { installPackages } from '../../../build/install-packages.ts';
import { LabError } from '../process/command.ts';

/** Installs `debianPackage` where `path` is missing: of what tests call on the host itself, a plain Debian lacks little. */
export function needProgram(path: string, debianPackage: string): void {
  if (existsSync(path)) return;
  const failed = installPackages(debianPackage);
  if (failed !== undefined) throw new LabError(`${path} is missing and cannot be installed: ${failed}`);
}
