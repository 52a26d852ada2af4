import type { Host } from '../../host/host.ts';

/** Does systemd run this machine? Never below a root directory: nothing runs there. */
export async function systemdRuns(host: Host): Promise<boolean> {
  return host.root === '/' && (await host.files.stat('/run/systemd/system')) !== undefined;
}
