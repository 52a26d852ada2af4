import type { Host } from '../../host/host.ts';

/** The mode of a file that is written anew. A link's own is 0777, and says nothing of the file that it leads to. */
export async function presentMode(host: Host, path: string, otherwise: number): Promise<number> {
  const stat = await host.files.stat(path);
  return stat?.kind === 'file' ? stat.mode & 0o777 : otherwise;
}
