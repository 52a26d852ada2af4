import type { Host } from '../../host/host.ts';

/** The mode of a file that is written anew: behind a link that of what it leads to, for a link's own is 0777. */
export async function presentMode(host: Host, path: string, otherwise: number): Promise<number> {
  const stat = await host.ownFiles.stat(await host.files.real(path));
  return stat?.kind === 'file' ? stat.mode & 0o777 : otherwise;
}
