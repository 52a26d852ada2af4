import type { Host } from './host.ts';

/** Home directories of root and of the users in /home. */
export async function homeDirectories(host: Host): Promise<string[]> {
  return ['/root', ...(await host.files.list('/home')).map((name) => `/home/${name}`)];
}
