import { link, mkdir, realpath, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { LabError } from '../process/command.ts';

/** A file for a machine's disk: content given here, or taken from a file of the host. Mode default 0644. */
export type MachineFile =
  | { content: string | Uint8Array; mode?: number }
  | { from: string; mode?: number }
  | { symlink: string };

/** A systemd unit for a machine's disk; enabled unless `enable` is false. */
export interface MachineUnit {
  content: string;
  enable?: boolean;
}

/**
 * Put files where the machine's first boot finds and installs them: `staged/N` beside the lists `files` and `units`
 * that machine-init.sh reads.
 */
export async function stage(
  machineDir: string,
  files: Readonly<Record<string, MachineFile>>,
  units: Readonly<Record<string, MachineUnit>>,
): Promise<void> {
  await mkdir(join(machineDir, 'staged'), { mode: 0o700 });
  const all: [string, MachineFile][] = Object.entries(files);
  for (const [name, unit] of Object.entries(units))
    all.push([`/etc/systemd/system/${name}`, { content: unit.content }]);
  const lines: string[] = [];
  for (const [index, [path, file]] of all.entries()) {
    if (!path.startsWith('/') || /[\t\n]/.test(path)) {
      throw new LabError(
        `a machine's file needs an absolute path without tab or line feed: ${JSON.stringify(path)}`,
      );
    }
    if ('symlink' in file) {
      lines.push(`${file.symlink}\tlink\t${path}\n`);
      continue;
    }
    const staged = join(machineDir, 'staged', String(index));
    let source = staged;
    if ('content' in file) await writeFile(staged, file.content, { mode: 0o600 });
    else source = await linkOrName(file.from, staged);
    if (/[\t\n]/.test(source))
      throw new LabError(`the lab cannot copy from a path with tab or line feed: ${source}`);
    lines.push(`${source}\t${(file.mode ?? 0o644).toString(8)}\t${path}\n`);
  }
  await writeFile(join(machineDir, 'files'), lines.join(''));
  const enabled = Object.entries(units).filter(([, unit]) => unit.enable !== false);
  await writeFile(join(machineDir, 'units'), enabled.map(([name]) => `${name}\n`).join(''));
}

/** A hard link keeps the bytes as they are now even if the build replaces the file; across disks the path must do. */
async function linkOrName(from: string, staged: string): Promise<string> {
  try {
    await link(await realpath(from), staged);
    return staged;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EXDEV' || code === 'EPERM') return resolve(from);
    throw new LabError(`cannot take ${from} into a machine: ${message}`);
  }
}
