import type { Host } from '../../../host/host.ts';
import { runTool } from '../../../tools/run-tool.ts';
import { StepError } from '../../../tools/step-error.ts';

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
