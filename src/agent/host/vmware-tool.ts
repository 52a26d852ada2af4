import type { Host } from './host.ts';

type Asked = Pick<Host, 'platform' | 'env' | 'files' | 'processes'>;

/**
 * The program by which a guest of VMware talks to its host, which takes one word more: vmware-rpctool, else vmtoolsd; on Windows
 * rpctool, where VMware's tools put it, as cloudbase-init has it.
 */
export async function vmwareTool(host: Asked): Promise<[string, ...string[]] | undefined> {
  if (host.platform === 'windows') {
    const programs = host.env('ProgramFiles') ?? 'C:\\Program Files';
    const path = `${programs}\\VMware\\VMware Tools\\rpctool.exe`;
    return (await host.files.stat(path)) === undefined ? undefined : [path];
  }
  const rpctool = await host.processes.which('vmware-rpctool');
  if (rpctool !== undefined) return [rpctool];
  const daemon = await host.processes.which('vmtoolsd');
  return daemon === undefined ? undefined : [daemon, '--cmd'];
}
