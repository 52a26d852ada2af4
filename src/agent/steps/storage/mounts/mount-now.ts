import type { Host } from '../../../host/host.ts';
import { runTool } from '../../../tools/run-tool.ts';

/** Mounts a device where nothing is mounted yet, without a line in fstab. @throws Problem MountFailed */
export async function mountNow(
  host: Host,
  { device, type, path, options }: { device: string; type: string; path: string; options: string[] },
  signal: AbortSignal,
): Promise<string> {
  if (await isMountPoint(host, path)) return `${path} was mounted`;
  if (!(await host.files.stat(path))) await host.files.mkdir(path, 0o755);
  const flags = options.length > 0 ? ['-o', options.join(',')] : [];
  await runTool(host, ['mount', '-t', type, ...flags, '--', device, path], {
    doing: `mount ${device} at ${path}`,
    code: 'MountFailed',
    signal,
  });
  return `${path} mounted`;
}

/** @throws Problem MountFailed */
export async function isMountPoint(host: Host, path: string): Promise<boolean> {
  const { exitStatus } = await runTool(host, ['mountpoint', '--quiet', path], {
    doing: `see what is mounted at ${path}`,
    code: 'MountFailed',
    accept: [0, 1, 32],
  });
  return exitStatus === 0;
}
