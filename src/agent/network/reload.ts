import type { NetworkSettings } from '../document/network-settings.ts';
import type { Host } from '../host/host.ts';
import { runTool } from '../tools/run-tool.ts';
import type { RendererName } from './find-renderer.ts';
import { connectionPath } from './render/network-manager.ts';

/** Has the programs read the files that were written for them. @throws Problem */
export async function reload(
  host: Host,
  renderer: RendererName,
  settings: NetworkSettings,
  signal: AbortSignal,
): Promise<void> {
  const run = (...argv: [string, ...string[]]) =>
    runTool(host, argv, { doing: 'set up the network', code: 'NetworkNotConfigured', signal });
  if (renderer === 'netplan') {
    // It refuses a wrong file before anything is changed.
    await run('netplan', 'generate');
    await run('netplan', 'apply');
  } else if (renderer === 'networkd') {
    const active = await host.processes.run({
      argv: ['systemctl', 'is-active', '--quiet', 'systemd-networkd.service'],
      timeoutMs: 30_000,
      signal,
    });
    if (active.exitStatus === 0) await run('networkctl', 'reload');
    else await run('systemctl', 'enable', '--now', 'systemd-networkd.service');
  } else {
    await run('nmcli', 'connection', 'reload');
    for (const link of settings.links) {
      if (link.kind === 'loopback' || link.optional === true || isMember(settings, link.id)) continue;
      if ((await host.files.stat(connectionPath(link))) === undefined) continue;
      await run('nmcli', '--wait', '30', 'connection', 'up', 'filename', connectionPath(link));
    }
  }
}

/** Members come up with what they belong to. */
function isMember({ links }: NetworkSettings, id: string): boolean {
  return links.some(({ bond, bridge }) => bond?.members.includes(id) || bridge?.members.includes(id));
}
