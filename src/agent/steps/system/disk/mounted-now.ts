import type { Host } from '../../../host/host.ts';
import { runTool } from '../../../tools/run-tool.ts';
import { StepError } from '../../../tools/step-error.ts';

interface MountedNow {
  at: string;
  type: string;
}

/** What the kernel says is mounted. Undefined where there is no such machine: below a directory. */
export async function mountedNow({
  files,
  root,
}: Pick<Host, 'files' | 'root'>): Promise<MountedNow[] | undefined> {
  if (root !== '/') return undefined;
  const text = (await files.readIfPresent('/proc/mounts').catch(() => undefined))?.toString('utf8');
  return text?.split('\n').flatMap((line) => {
    const [, at = '', type = ''] = line.split(' ');
    return at === '' ? [] : [{ at, type }];
  });
}

/** The type of the file system that a path lies on. */
export function typeAt(mounts: readonly MountedNow[], path: string): string | undefined {
  const above = mounts.filter(({ at }) => `${path}/`.startsWith(at.endsWith('/') ? at : `${at}/`));
  const deepest = Math.max(...above.map(({ at }) => at.length));
  return above.findLast(({ at }) => at.length === deepest)?.type;
}

interface Mounted {
  device: string;
  filesystem: string;
}

/** What is mounted at a path, by findmnt. @throws Problem SystemSettingFailed */
export async function mountedAt(host: Host, path: string, signal: AbortSignal): Promise<Mounted> {
  const { stdout } = await runTool(host, ['findmnt', '--noheadings', '--raw', '-o', 'SOURCE,FSTYPE', path], {
    doing: `find out what is mounted at ${path}`,
    code: 'SystemSettingFailed',
    signal,
  });
  const [source = '', filesystem = ''] = stdout.trim().split('\n').at(-1)?.split(/\s+/) ?? [];
  // A subvolume of btrfs is told behind its device.
  const device = source.replace(/\[.*\]$/, '');
  if (!device.startsWith('/dev/'))
    throw new StepError(
      'SystemSettingFailed',
      `${path} lies on no disk of this machine, but on ${filesystem}`,
    );
  return { device, filesystem };
}
