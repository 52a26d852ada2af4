import type { Host } from '../host/host.ts';

/** Tells whether systemd runs this machine. Below a root directory nothing runs. */
export async function isSystemdRunning(host: Host): Promise<boolean> {
  return host.root === '/' && (await host.files.stat('/run/systemd/system')) !== undefined;
}
